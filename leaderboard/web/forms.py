"""Forms of the pages."""

from django import forms


class SignUpForm(forms.Form):
    """What sign-up asks beside e-mail and password."""

    name = forms.CharField(
        max_length=120, label="Name on the board", help_text="You, your group or your lab."
    )

    def signup(self, request, user):
        user.first_name = self.cleaned_data["name"][:150]
        user.save(update_fields=["first_name"])
