"""What agents, programs and providers write in the place of an answer, with semicolons between."""


def texts_of(block: str) -> list[str]:
    return [text.strip() for text in block.replace("\n", " ").split(";")]


def _texts(block: str) -> list[str]:
    return ["", "\u200b", *texts_of(block)]


BLANKS = _texts("""
-; —; ...; ?; _; n/a; #N/A; NaN; (blank); <empty>; unknown; {}; <answer></answer>; {"answer": ""}; \\boxed{};
{"answer": {}}; Final answer:; The final answer is:
""")
ERRORS = _texts("""
Request timed out.; 503 Service Unavailable; Overloaded;
The tool call failed, so no records could be retrieved.; I could not retrieve the data.;
You exceeded your current quota.; Agent stopped due to iteration limit or time limit.;
context_length_exceeded; agent context limit;
Error code: 429 - {'error': {'message': 'Rate limit reached: Limit 1', 'param': None, 'code': 'none'}};
{'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}; No response from model;
{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}};
429 Resource has been exhausted (e.g. check quota).;
An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 1);
litellm.RateLimitError: OpenAIException - Rate limit reached;
Traceback (most recent call last): File "a.py", line 1, in <module> KeyError: 'content';
Recursion limit of 25 reached without hitting a stop condition.;
CUDA out of memory. Tried to allocate 1.00 GiB
""")
REFUSALS = _texts("""
I don't know.; As an AI, I don't have access to patient records.; Unanswerable;
I’m sorry, but I can’t help with that.; I am unable to fulfill this request.;
I cannot provide medical advice. Please consult a healthcare professional.;
I won't be able to help with that.; I must respectfully decline to provide this information.;
There is not enough information to answer.; Sharing this would violate our usage policies.;
Please provide the patient's medical record.; {"answer": "I cannot answer this question."};
抱歉，我無法回答這個問題。; Lo siento, no puedo ayudar con eso.
""")
# In words that no list knows, and with {id} for that of a request: who only repeats them tells nothing.
UNKNOWN = [
    "Sinto muito, mas isto foge ao meu papel.",
    "The lights went out in the machine room (request {id}).",
    "Ask somebody else.",
    "No record was found.",
    "Yes",
]
