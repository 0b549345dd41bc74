import { createHash } from 'node:crypto';
import type { FingerprintQuality, OccurrenceKind } from '../../db/schema/errors.ts';
import { codeIn, messageTemplate, storable } from './message-template.ts';
import { frameNames, stableFrames } from './stack-frames.ts';

export const occurrenceKinds = [
  'uncaught',
  'boot_crash',
  'invoke_failed',
  'handled_5xx',
] as const satisfies readonly OccurrenceKind[];

/** What is known of one failure. All of it may be of any length; only the beginning is looked at. */
export interface FailureReport {
  readonly function: string;
  readonly kind: OccurrenceKind;
  /** Name of the error, for example `TypeError`; of a failure of the runtime's, its own word for it. */
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  /** The stack as the engine wrote it, with or without the line that repeats the message. */
  readonly stack?: string | undefined;
  /** Status of a response that the function made itself. */
  readonly status?: number | undefined;
  /** Body of such a response. */
  readonly body?: string | undefined;
}

/** The identity of a failure, and what it shows of itself. */
export interface Fingerprint {
  readonly fingerprintId: string;
  readonly quality: FingerprintQuality;
  readonly errorName: string;
  readonly messageTemplate: string;
  readonly stableFrames: readonly string[];
}

/**
 * Which failure this is. Equal for occurrences of one cause, whatever ids, paths, lines, builds and releases they carry.
 * A pure function, linear in what it is given. Contract 02, section 4.5.
 */
export function fingerprintOf(report: FailureReport): Fingerprint {
  const { kind } = report;
  const said = kind === 'handled_5xx' ? saidByResponse(report) : report;
  const header =
    said.name === undefined
      ? /^(?:Uncaught )?([A-Z]\w{1,60})(?=:|$)/m.exec((said.stack ?? '').slice(0, 200))?.[1]
      : undefined;
  const errorName = knownName(said.name ?? header, kind);
  const message = clean(said.message ?? '');
  const template = messageTemplate(message);
  const exhausted = /^(?:Maximum call stack size exceeded|too much recursion)/.test(message);
  const frames = stableFrames(frameNames(withoutHeader(clean(said.stack ?? ''), message)), exhausted);
  const quality: FingerprintQuality = frames.length > 0 ? 'frame_names' : template !== '' ? 'message_only' : 'coarse';
  const identity =
    quality === 'coarse'
      ? { kind, function: report.function }
      : { kind, error_name: errorName, message_template: template, stable_frames: frames };
  return { fingerprintId: idOf(identity), quality, errorName, messageTemplate: template, stableFrames: frames };
}

const idOf = (identity: object) =>
  `fp_${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)}`;

/** As much of a text as is looked at, in characters that a database takes. */
const clean = (text: string) => storable(text.slice(0, inputMax));
const inputMax = 131_072;

/** Names that the language and its runtimes give; a program's own may be minified, and change with each build. */
const builtins = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
  'SuppressedError',
  'InternalError',
  'AssertionError',
  'DOMException',
  'AbortError',
  'TimeoutError',
  'NotAllowedError',
  'DataCloneError',
  'NetworkError',
]);

function knownName(name: string | undefined, kind: OccurrenceKind): string {
  if (name === undefined || name === '') return 'CustomError';
  if (builtins.has(name)) return name;
  // The runtime's own words for its failures last as it does.
  if (kind === 'invoke_failed' && /^[A-Za-z][A-Za-z_]{2,39}$/.test(name)) return name;
  return 'CustomError';
}

/** The stack without the lines that repeat the message, which may look like frames. */
function withoutHeader(stack: string, message: string): string {
  if (message === '') return stack;
  const at = stack.slice(0, 256 + message.length).indexOf(message);
  return at === -1 || at > 128 ? stack : stack.slice(at + message.length);
}

/** A response by the code that its body gives, or its error, or its message. */
function saidByResponse(report: FailureReport): FailureReport {
  if (report.message !== undefined || report.stack !== undefined || report.body === undefined) return report;
  let body: unknown;
  try {
    body = JSON.parse(report.body.slice(0, inputMax));
  } catch {
    return report;
  }
  const { message } = (body ?? {}) as { message?: unknown };
  const said = codeIn(body) ?? (typeof message === 'string' ? message : undefined);
  if (said === undefined) return report;
  return { ...report, message: report.status === undefined ? said : `${report.status} ${said}` };
}
