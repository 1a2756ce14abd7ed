"""Hypothesis strategies for almost valid MedAgentBench files."""

from hypothesis import strategies as st

from tests.support.scoring.odd_values import texts, values
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids

V1 = published_task_ids("v1")
roles = st.sampled_from(["agent", "user"])
messages = st.fixed_dictionaries({"role": roles, "content": texts | st.just("POST x\n{")})
# Almost valid objects reach more code than arbitrary JSON does.
odd_messages = (
    messages | values | st.fixed_dictionaries({}, optional={"role": values | roles, "content": values})
)
odd_results = values | st.fixed_dictionaries(
    {},
    optional={
        "task_id": st.sampled_from(V1) | values,
        "answer": st.just("[1]") | values,
        "post_history": st.lists(odd_messages, max_size=3) | values,
    },
)
odd_files = st.fixed_dictionaries(
    {},
    optional={
        "version": st.just("v1") | values,
        "results": st.lists(odd_results, max_size=4) | values,
        "total_tasks": values,
    },
)
odd_outputs = values | st.fixed_dictionaries(
    {}, optional={"index": values, "result": values, "history": st.lists(odd_messages, max_size=3) | values}
)
odd_lines = values | st.fixed_dictionaries(
    {}, optional={"index": st.integers(-2, 101) | values, "output": odd_outputs}
)
