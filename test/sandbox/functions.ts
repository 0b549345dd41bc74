import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalRunner, type LocalRunnerOptions } from '../../engines/sandbox/local-runner.ts';
import {
  type FunctionCall,
  type FunctionFailure,
  FunctionFailureError,
  type FunctionLogLine,
  type LoadedFunction,
  type Runner,
} from '../../engines/sandbox/runner.ts';

/** Far longer than a start takes: how fast the machine is, is no test's matter. */
const startMs = 60_000;

/** A runner with what it told by itself. */
export async function makeRunner(options: Partial<LocalRunnerOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-runner-'));
  const lines: FunctionLogLine[] = [];
  const failures: FunctionFailure[] = [];
  const runner = await createLocalRunner({
    folder,
    startMs,
    events: { onLog: (line) => lines.push(line), onFailure: (_fn, failure) => failures.push(failure) },
    ...options,
  });
  const remove = async () => {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { runner, lines, failures, remove };
}

let made = 0;

/** A function of the given module, different from all others. */
export const functionOf = (code: string, rest: Partial<LoadedFunction> = {}): LoadedFunction => ({
  projectId: 'prj_one',
  functionId: `fn_${++made}`,
  name: 'hello',
  releaseId: 'rel_one',
  digest: String(made),
  code: { bytes: Buffer.from(code) },
  memoryMb: 128,
  timeoutMs: 60_000,
  environment: {},
  ...rest,
});

/** A module whose handler has this body; `request` and `url` are there. */
export const handler = (body: string): string =>
  `export default async (request, context) => { const url = new URL(request.url); ${body} };`;

export const requestTo = (path: string, rest: Partial<FunctionCall> = {}): FunctionCall => ({
  requestId: `req_${path.slice(1)}`,
  method: 'GET',
  url: `https://app.example.com${path}`,
  headers: [],
  ...rest,
});

/** The whole text of an answer. */
export async function textOf(runner: Runner, fn: LoadedFunction, call: FunctionCall): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await runner.call(fn, call)).body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Why something came to nothing. */
export async function failureOf(attempt: Promise<unknown>): Promise<FunctionFailure | undefined> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined || error instanceof FunctionFailureError) return error?.failure;
  throw error;
}
