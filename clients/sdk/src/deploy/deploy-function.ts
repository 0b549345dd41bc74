import { basename, extname } from 'node:path';
import type { Connection } from '../connection.ts';
import { functions } from '../namespaces/functions.ts';
import type { FunctionSummary } from '../types.ts';
import { type DeployOptions, type DeployState, type DeployWarning, deploy } from './deploy.ts';

/** A function as it is deployed. What is not given stays as it was. */
export interface FunctionToDeploy {
  /** The file with its code, whose default export takes a `Request` and returns a `Response`; from `dir`, where that is given. */
  readonly file: string;
  /** A folder whose files it may import. @default the file alone */
  readonly dir?: string | undefined;
  /** How long a call may take, in seconds. */
  readonly timeout?: number | undefined;
  /** How much memory it may use, in megabytes. */
  readonly memory?: number | undefined;
  /** Packages of npm that it imports. */
  readonly deps?: readonly string[] | undefined;
  /** When it runs by itself, as cron says it in five fields, in UTC; null: never. */
  readonly schedule?: string | null | undefined;
  /** Whether it answers signed-in users of the project alone. */
  readonly requireAuth?: boolean | undefined;
}

/** A function that was deployed. */
export interface DeployedFunction {
  readonly deploy: DeployState;
  readonly warnings: readonly DeployWarning[];
  readonly function: FunctionSummary;
}

type Json = Readonly<Record<string, unknown>>;

/** The specification of one function, which leaves everything else of a release as it is. */
export function functionSpec(name: string, given: FunctionToDeploy): Json {
  const { timeout, memory, deps, schedule, requireAuth } = given;
  const config = { ...(timeout === undefined ? {} : { timeout }), ...(memory === undefined ? {} : { memory }) };
  const set = {
    ...codeOf(given),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(deps === undefined ? {} : { deps }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(requireAuth === undefined ? {} : { require_auth: requireAuth }),
  };
  return { functions: { patch: { set: { [name]: set } } } };
}

/** A single file of JavaScript has no name at the gateway. The name of any other tells what it is written in. */
function codeOf({ file, dir }: FunctionToDeploy): Json {
  if (dir !== undefined) return { files: { __source: 'local-dir', path: dir }, entrypoint: file };
  if (['.js', '.mjs'].includes(extname(file))) return { source: { path: file } };
  return { files: { [basename(file)]: { path: file } }, entrypoint: basename(file) };
}

/**
 * Deploys one function, new or in place of the one before, and leaves everything else of the release as it is. For Node.js
 * and its like.
 *
 * @throws SvcError as `deploy` does, and FUNCTION_BUILD_FAILED for code that cannot be built
 */
export async function deployFunction(
  connection: Connection,
  project: string,
  name: string,
  given: FunctionToDeploy,
  options: Omit<DeployOptions, 'dryRun'> = {},
): Promise<DeployedFunction> {
  const { plan, deploy: done } = await deploy(connection, project, functionSpec(name, given), options);
  const { functions: live } = await functions(connection).list({ project });
  return { deploy: done!, warnings: plan.warnings, function: live.find((one) => one.name === name)! };
}
