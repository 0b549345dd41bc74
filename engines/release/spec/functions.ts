import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { invalid, SpecError } from '../errors.ts';
import type { ContentRef, ReleasedFunction } from '../model.ts';
import { content } from './content.ts';
import { deps } from './deps.ts';
import {
  boolean,
  distinct,
  either,
  integer,
  type Json,
  list,
  map,
  matching,
  object,
  oneOf,
  optional,
  type Read,
  text,
} from './fields.ts';
import { type FunctionLimits, refuseFrequent, within } from './function-limits.ts';
import { relativePath } from './paths.ts';
import type { Change, SpecFunction } from './release-spec.ts';
import { gate } from './role-gate.ts';
import { cron, triggers } from './triggers.ts';

const functionsMax = 1_000;
const filesMax = 10_000;

export const functionName = matching(/^[a-z0-9][a-z0-9_-]{0,63}$/);

/** The code of a function of one file is called so. */
const singleFile = 'index.mjs';

function code(given: Json, at: string): SpecFunction['code'] {
  if (given.source !== undefined && given.files !== undefined)
    throw invalid(`${at}.files`, 'cannot go together with source');
  if (given.source !== undefined) {
    if (given.entrypoint !== undefined) throw invalid(`${at}.entrypoint`, 'goes with files alone');
    const source = content(given.source, `${at}.source`);
    return { files: new Map([[singleFile, source]]), entrypoint: singleFile, codeHash: source.sha256 };
  }
  if (given.files === undefined) {
    if (given.entrypoint !== undefined) throw invalid(`${at}.entrypoint`, 'goes with files alone');
    return undefined;
  }
  const files: ReadonlyMap<string, ContentRef> = map(relativePath, content, filesMax)(given.files, `${at}.files`);
  const entrypoint = relativePath(given.entrypoint, `${at}.entrypoint`);
  if (!files.has(entrypoint)) throw invalid(`${at}.entrypoint`, 'must be one of the files');
  const digests = Object.fromEntries([...files].map(([path, { sha256 }]) => [path, sha256]));
  const codeHash = createHash('sha256')
    .update(canonicalJson({ entrypoint, files: digests }))
    .digest('hex');
  return { files, entrypoint, codeHash };
}

const members = [
  'runtime',
  'source',
  'files',
  'entrypoint',
  'config',
  'schedule',
  'deps',
  'triggers',
  'require_auth',
  'requireAuth',
  'require_role',
  'requireRole',
  'class',
  'capabilities',
];

const configMembers = ['timeout_seconds', 'timeoutSeconds', 'timeout', 'memory_mb', 'memoryMb', 'memory'];

/** @throws FUNCTION_CONFIG_INVALID for what no tier allows, and the code of what this one does not */
function config(value: unknown, at: string, limits: FunctionLimits | undefined) {
  const [timeout, memory] = [`${at}.timeout_seconds`, `${at}.memory_mb`];
  const found = orConfigInvalid(() => {
    const given = object(value, at, configMembers);
    return {
      timeoutSeconds: optional(integer(1, 3_600))(
        either(given, at, 'timeout_seconds', 'timeoutSeconds', 'timeout'),
        timeout,
      ),
      memoryMb: optional(integer(1, 16_384))(either(given, at, 'memory_mb', 'memoryMb', 'memory'), memory),
    };
  });
  const tier = limits?.tier;
  within('FUNCTION_TIMEOUT_EXCEEDS_TIER', found.timeoutSeconds, limits?.timeoutSeconds, { at: timeout, tier });
  within('FUNCTION_MEMORY_EXCEEDS_TIER', found.memoryMb, limits?.memoryMb, { at: memory, tier });
  return found;
}

function orConfigInvalid<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const { message, resource, details } = error;
    throw new SpecError('FUNCTION_CONFIG_INVALID', message, {
      ...(resource === undefined ? {} : { resource }),
      details,
    });
  }
}

const readFunction =
  (limits: FunctionLimits | undefined): Read<SpecFunction> =>
  (value, at) => {
    const given = object(value, at, members);
    optional(oneOf('node22'))(given.runtime, `${at}.runtime`);
    const schedule = given.schedule === null ? null : optional(cron)(given.schedule, `${at}.schedule`);
    refuseFrequent(schedule, `${at}.schedule`, limits);
    const fired = optional(triggers)(given.triggers, `${at}.triggers`);
    for (const one of fired ?? []) refuseFrequent(one.cron, `${at}.triggers`, limits);
    const role = optional(gate)(either(given, at, 'require_role', 'requireRole'), `${at}.require_role`);
    return {
      code: code(given, at),
      ...(given.config === undefined
        ? { timeoutSeconds: undefined, memoryMb: undefined }
        : config(given.config, `${at}.config`, limits)),
      schedule,
      deps: optional(deps)(given.deps, `${at}.deps`),
      triggers: fired,
      requireAuth: optional(boolean)(either(given, at, 'require_auth', 'requireAuth'), `${at}.require_auth`),
      requireRole: role,
      class: optional(oneOf('standard', 'ssr'))(given.class, `${at}.class`) as ReleasedFunction['class'] | undefined,
      capabilities: optional(distinct(list(text(128), { max: 100 })))(given.capabilities, `${at}.capabilities`)?.sort(),
    };
  };

/** Contract 03, section 2.11.5. */
export const functions =
  (limits: FunctionLimits | undefined): Read<Change<SpecFunction>> =>
  (value, at) => {
    const given = object(value, at, ['replace', 'patch']);
    if ((given.replace === undefined) === (given.patch === undefined))
      throw invalid(at, 'must have either replace or patch');
    const entries = map(functionName, readFunction(limits), functionsMax);
    if (given.replace !== undefined) return { kind: 'replace', entries: entries(given.replace, `${at}.replace`) };
    const patch = object(given.patch, `${at}.patch`, ['set', 'delete']);
    const set = optional(entries)(patch.set, `${at}.patch.set`) ?? new Map();
    const gone =
      optional(distinct(list(functionName, { max: functionsMax })))(patch.delete, `${at}.patch.delete`) ?? [];
    const both = gone.find((name) => set.has(name));
    if (both !== undefined) throw invalid(`${at}.patch.delete`, `names ${both}, which is set, too`, { name: both });
    return { kind: 'patch', set, delete: gone };
  };
