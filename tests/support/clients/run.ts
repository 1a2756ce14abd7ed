// Walk the documented steps as a program with the generated types would, without a cast: check, submit, ask
// again, publish, list, and read errors. The tests compile this file and run it in Node.js.
// The environment has SERVICE, TOKEN, and the texts of a good file and of one with problems, CONTENT and MALFORMED.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

declare const process: { env: { SERVICE: string; TOKEN: string; CONTENT: string; MALFORMED: string } };

type Problem = components["schemas"]["ProblemDocument"];

const BOARD = "medagentbench-demo";
const { SERVICE, TOKEN, CONTENT, MALFORMED } = process.env;
const client = createClient<paths>({ baseUrl: SERVICE, headers: { Authorization: `Bearer ${TOKEN}` } });
const visitor = createClient<paths>({ baseUrl: SERVICE });

// A part with a file name is a file to the service. A file can be the whole body too, as a text.
function bodySerializer(fields: object | string): FormData | string {
  if (typeof fields === "string") return fields;
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (name === "file") data.append(name, new Blob([value]), "results.json");
    else data.append(name, `${value}`);
  }
  return data;
}

function explain(problem: Problem): string {
  return `${problem.status} ${problem.code}: ${problem.detail} ${problem.hint}`;
}

async function send(file: string, publish: boolean) {
  const body = { file, benchmark: BOARD, system: "Generated", models: "one, two", publish };
  return client.POST("/api/v1/submissions/", { body, bodySerializer });
}

async function waitForScore(submission_id: string): Promise<components["schemas"]["Submission"]> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const { data, error } = await client.GET("/api/v1/submissions/{submission_id}/", {
      params: { path: { submission_id }, query: { wait: 30 } },
    });
    if (error) throw new Error(explain(error));
    if (data.status === "scored") return data;
  }
  throw new Error("no score");
}

async function main(): Promise<void> {
  const boards = await visitor.GET("/api/v1/benchmarks/");
  if (boards.error) throw new Error(explain(boards.error));
  const check = { file: CONTENT, benchmark: BOARD };
  const good = await visitor.POST("/api/v1/validations/", { body: check, bodySerializer });
  if (good.error) throw new Error(explain(good.error));
  const bad = await visitor.POST("/api/v1/validations/", { body: { ...check, file: MALFORMED }, bodySerializer });
  const unknown = await visitor.GET("/api/v1/benchmarks/{slug}/", { params: { path: { slug: "none" } } });

  const sent = await send(CONTENT, false);
  if (sent.error) throw new Error(explain(sent.error));
  const again = await send(CONTENT, false);
  const submission = await waitForScore(sent.data.id);
  const published = await client.POST("/api/v1/submissions/{submission_id}/publish/", {
    params: { path: { submission_id: submission.id } },
  });
  if (published.error) throw new Error(explain(published.error));
  const own = await client.GET("/api/v1/submissions/", { params: { query: { per_page: 1, status: "scored" } } });
  if (own.error) throw new Error(explain(own.error));
  const board = await visitor.GET("/api/v1/benchmarks/{slug}/leaderboard/", {
    params: { path: { slug: BOARD }, query: { per_page: 10 } },
  });
  if (board.error) throw new Error(explain(board.error));
  console.log(
    JSON.stringify({
      slugs: boards.data.results.map((each) => each.slug),
      valid: good.data.valid,
      refused: bad.error?.code ?? null,
      problems: [...new Set((bad.error?.problems ?? []).map((problem) => problem.code))].length > 0,
      unknown: unknown.error?.code ?? null,
      repeated: [again.response.status, again.response.headers.get("Idempotent-Replayed")],
      published: published.data.published,
      score: submission.result?.score ?? null,
      listed: own.data.results.map((each) => each.id === submission.id),
      names: board.data.rows.map((row) => row.system.name),
    }),
  );
}

void main();
