// Use the generated types as a client would; a line that must fail says so.
import type { components, paths } from "./api";

type Schemas = components["schemas"];
type Answer = paths["/api/v1/benchmarks/{slug}/leaderboard/"]["get"]["responses"][200]["content"]["application/json"];
type Refusal = paths["/api/v1/submissions/"]["post"]["responses"][422]["content"]["application/problem+json"];

export const names = (board: Answer): string[] => board.rows.map((row) => row.system.name);
export const score = (row: Schemas["Row"]): number => row.score ?? 0;
export const hints = (refusal: Refusal): string[] => (refusal.problems ?? []).map((problem) => problem.hint);
export const isSettled = (submission: Schemas["Submission"]): boolean => submission.status === "scored";

// @ts-expect-error A score can be null.
export const certain = (row: Schemas["Row"]): number => row.score;
// @ts-expect-error There is no such status.
export const isLost = (submission: Schemas["Submission"]): boolean => submission.status === "lost";
