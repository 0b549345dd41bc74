import type { Connection } from '../connection.ts';
import { contentFile } from '../content-file.ts';
import { localError, SvcError } from '../errors.ts';
import { type HashedContent, telling, type UploadProgress, uploadHashed } from '../upload-content.ts';
import { type AssetManifest, assetManifestOf } from './asset-manifest.ts';
import { contentOfBytes, inParallel, type LocalContent } from './local-files.ts';
import { type ResolvedSpec, resolveSpec } from './local-spec.ts';

type Json = Readonly<Record<string, unknown>>;

/** Something that whoever deploys should know of first. */
export interface DeployWarning {
  readonly code: string;
  readonly severity: 'info' | 'warn' | 'high';
  readonly requires_confirmation: boolean;
  readonly message: string;
  readonly affected?: readonly string[];
}

/** What a specification would do, as the gateway says. */
export interface DeployPlanAnswer extends Json {
  readonly plan_id: string | null;
  readonly operation_id: string | null;
  readonly is_noop: boolean;
  readonly summary: string;
  readonly warnings: readonly DeployWarning[];
  readonly missing_content: readonly { readonly sha256: string; readonly size: number; readonly present: boolean }[];
}

/** A deploy as it stands. */
export interface DeployState extends Json {
  readonly operation_id: string;
  readonly status: string;
  readonly release_id: string | null;
  readonly urls: Readonly<Record<string, string>> | null;
  readonly error: (Json & { readonly code: string; readonly message: string }) | null;
}

export interface DeployOptions {
  /** Folder that paths of the specification are meant from. @default the current one */
  readonly base?: string | undefined;
  /** Plans only; nothing is uploaded or kept. */
  readonly dryRun?: boolean | undefined;
  /** Codes of warnings that are agreed to; true: all. */
  readonly allowWarnings?: readonly string[] | true | undefined;
  /** Tells repetitions of one deploy from another deploy of the same specification. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the plan before anything is done. */
  readonly onPlan?: ((plan: DeployPlanAnswer) => void) | undefined;
  readonly onUpload?: ((progress: UploadProgress) => void) | undefined;
  /** Told of the phases of the deploy. */
  readonly onEvent?: ((event: Json) => void) | undefined;
}

export interface DeployOutcome {
  readonly plan: DeployPlanAnswer;
  /** Undefined for a dry run. */
  readonly deploy: DeployState | undefined;
  /** What was put; undefined for a dry run, and where the specification names no assets. */
  readonly assets?: AssetManifest | undefined;
}

/** A larger specification is uploaded as content, in bytes of JSON. */
const inlineSpecBytes = 4 * 1024 * 1024;
const manifestType = 'application/vnd.svc.deploy-manifest+json';

/** How many files are sent at once: most of them are small, and their sender waits for the disk of the gateway. */
const filesAtOnce = 8;

/** How often a deploy is planned anew that another one came before. */
const conflictTries = 3;

/**
 * Deploys: reads the folders and files that a specification names, plans, uploads what is missing, commits, and waits for
 * the end. For Node.js and its like.
 *
 * @param spec `{ site: { replace: { __source: 'local-dir', path: 'dist' } } }`, for example
 * @throws SvcError for every refusal, with `DEPLOY_WARNING` codes of warnings that nobody agreed to, and with the error of a
 * deploy that failed
 */
export async function deploy(
  connection: Connection,
  projectId: string,
  spec: Json,
  options: DeployOptions = {},
): Promise<DeployOutcome> {
  const resolved = await resolveSpec({ ...spec, project_id: projectId }, options.base ?? '.');
  for (let left = conflictTries; ; left -= 1) {
    try {
      return await deployOnce(connection, projectId, resolved, options);
    } catch (error) {
      const isConflict = error instanceof SvcError && error.code === 'BASE_RELEASE_CONFLICT' && error.safeToRetry;
      const startsAnywhere = (spec.base as Json | undefined)?.release_id === undefined;
      if (!isConflict || !startsAnywhere || left <= 1) throw error;
      await pause(250 * 2 ** (conflictTries - left), options.signal);
    }
  }
}

async function deployOnce(
  connection: Connection,
  projectId: string,
  { spec, content, longSql }: ResolvedSpec,
  { dryRun, allowWarnings, key, signal, onPlan, onUpload, onEvent }: DeployOptions,
): Promise<DeployOutcome> {
  const began = performance.now();
  if (dryRun !== true && longSql.length > 0) await upload(connection, projectId, longSql, signal);
  const json = JSON.stringify(spec);
  let body: Json = { spec, ...(key === undefined ? {} : { idempotency_key: key }) };
  if (json.length > inlineSpecBytes) {
    if (dryRun === true) throw localError('A specification of this size cannot be previewed.');
    const manifest = contentOfBytes(Buffer.from(json));
    await upload(connection, projectId, [manifest], signal);
    const { sha256, size } = manifest;
    body = { ...body, spec: { project_id: projectId }, manifest_ref: { sha256, size, content_type: manifestType } };
  }
  const plan = (await post(
    connection,
    '/apply/v1/plans',
    body,
    signal,
    dryRun === true ? '?dry_run=true' : undefined,
  )) as DeployPlanAnswer;
  onPlan?.(plan);
  if (dryRun === true) return { plan, deploy: undefined };
  refuseWarnings(plan, allowWarnings);
  const missing = plan.missing_content.filter(({ present }) => !present);
  const sources = missing.flatMap(({ sha256 }) => content.get(sha256) ?? []);
  if (sources.length > 0) await upload(connection, projectId, sources, signal, onUpload);
  const committed = (await post(connection, `/apply/v1/plans/${plan.plan_id}/commit`, {}, signal)) as DeployState;
  const done = await followDeploy(connection, committed.operation_id, { signal, onEvent });
  const uploaded = new Set(sources.map(({ sha256 }) => sha256));
  return { plan, deploy: done, assets: assetManifestOf(plan, uploaded, performance.now() - began) };
}

/** Sends bytes that the project does not hold. */
async function upload(
  connection: Connection,
  project: string,
  content: readonly LocalContent[],
  signal: AbortSignal | undefined,
  onProgress?: (progress: UploadProgress) => void,
): Promise<void> {
  const items = await inParallel(content, filesAtOnce, async ({ sha256, size, source }): Promise<HashedContent> => {
    const bytes =
      'file' in source ? await contentFile(source.file) : new Blob([source.bytes as Uint8Array<ArrayBuffer>]);
    return { bytes, digest: Buffer.from(sha256, 'hex'), sha256, size };
  });
  const tell = telling(items, onProgress);
  tell(
    'hashed',
    items.reduce((sum, { size }) => sum + size, 0),
  );
  await uploadHashed({ connection, project, parallel: filesAtOnce, tell, ways: { signal } }, items);
}

/** Sends JSON and reads JSON. */
async function post(
  connection: Connection,
  path: string,
  body: object,
  signal?: AbortSignal,
  query?: string,
): Promise<unknown> {
  const { text } = await connection.send({
    method: 'POST',
    path,
    query,
    body: JSON.stringify(body),
    contentType: 'application/json',
    isChange: true,
    signal,
  });
  return JSON.parse(text);
}

function refuseWarnings({ warnings, plan_id }: DeployPlanAnswer, allowed: DeployOptions['allowWarnings']): void {
  if (allowed === true) return;
  const open = warnings.filter(
    ({ code, requires_confirmation }) =>
      (requires_confirmation || code === 'MISSING_REQUIRED_SECRET') && allowed?.includes(code) !== true,
  );
  const [first] = open;
  if (first === undefined) return;
  throw new SvcError(
    {
      code: first.code,
      message: first.message,
      category: 'client',
      retryable: false,
      safe_to_retry: true,
      mutation_state: 'not_started',
      details: {
        affected: first.affected ?? [],
        unacknowledged_warning_codes: open.map(({ code }) => code),
        allowed_warning_codes: allowed ?? [],
        plan_id,
      },
      next_actions: [
        { type: 'edit_request', why: 'Agree to the warnings by their codes, or change the specification.' },
      ],
    },
    0,
  );
}

const ends = ['ready', 'failed', 'rolled_back', 'needs_repair', 'activation_pending'];

/**
 * Waits for the end of a deploy.
 *
 * @throws SvcError for one that failed
 */
export async function followDeploy(
  connection: Connection,
  operationId: string,
  { signal, onEvent }: Pick<DeployOptions, 'signal' | 'onEvent'> = {},
): Promise<DeployState> {
  let cursor = '0';
  let pauseMs = 25;
  for (;;) {
    const state = (await get(connection, `/apply/v1/operations/${operationId}`, signal)) as DeployState;
    if (onEvent !== undefined) {
      const path = `/apply/v1/operations/${operationId}/events`;
      const { events } = (await get(connection, path, signal, `?limit=1000&cursor=${cursor}`)) as {
        events: readonly (Json & { readonly id: string })[];
      };
      for (const event of events) onEvent(event);
      cursor = events.at(-1)?.id ?? cursor;
    }
    if (state.status === 'ready') return state;
    if (ends.includes(state.status))
      throw new SvcError(
        { ...(state.error ?? { code: 'API_ERROR' }), operation_id: operationId, status: state.status },
        0,
      );
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 1.3, 2_000);
  }
}

async function get(connection: Connection, path: string, signal?: AbortSignal, query?: string): Promise<unknown> {
  const { text } = await connection.send({ method: 'GET', path, query, isChange: false, signal });
  return JSON.parse(text);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      fail(signal.reason);
    });
  });
}
