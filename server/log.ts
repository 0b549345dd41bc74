import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { censor, maskSecrets, safeMessage } from '../core/safe-message.ts';
import type { LogLevel } from './config-variables.ts';

export interface LogOptions {
  readonly level: LogLevel;
  /** Where lines go. @default standard output */
  readonly destination?: DestinationStream | undefined;
}

/** Deepest nesting that is looked into; what lies below is left out. */
const depthMax = 8;

/** Names, without case, `-` and `_`, whose values never reach the log. */
const secretNames = new Set([
  'apikey',
  'authorization',
  'connectionstring',
  'cookie',
  'csrf',
  'databaseurl',
  'natsurl',
  'passphrase',
  'paymentsignature',
  'projectdatabaseurls',
  'setcookie',
  'signinwithx',
  'smtpurl',
  'writeapproval',
  'xpayment',
  'xsvccsrf',
  'xsvcwriteauth',
]);
const secretEndings = /(?:password|secret|token|apikey|adminkey|privatekey|secretkey|secretkeyprevious|authorization)$/;

const isSecretName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/[-_]/g, '');
  return secretNames.has(plain) || secretEndings.test(plain);
};

/** Bindings of child loggers do not pass through {@link withoutSecrets}, so their usual names are listed for pino. */
const bindingPaths = ['authorization', 'apikey', 'cookie', 'password', 'token', 'secret', 'adminKey', 'headers'];

/** The logger of the process: one JSON object per line, without secrets, whatever was handed to it. */
export function createLog({ level, destination }: LogOptions): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (facts: Record<string, unknown>) => withoutSecrets(facts, 0) as Record<string, unknown>,
    },
    // In place of pino's own, which would show every member of an error.
    serializers: { err: (value: unknown) => (value instanceof Error ? serializeError(value) : value) },
    redact: { paths: bindingPaths, censor },
    hooks: { logMethod: withSafeMessage, streamWrite: maskSecrets },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Where no message is given pino takes the error's, as it is; here it is taken without secrets. */
function withSafeMessage(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, message] = args as [unknown, string?];
  const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err;
  if (message === undefined && error instanceof Error) {
    method.call(this, first === error ? { err: error } : first, safeMessage(error));
  } else method.apply(this, args);
}

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return serializeError(value);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= depthMax) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (value instanceof URL) return maskSecrets(value.href);
  const kept: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    kept[name] = isSecretName(name) && item !== undefined && item !== null ? censor : withoutSecrets(item, depth + 1);
  }
  return kept;
}

/** An error as the log shows it. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly constraint?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

/**
 * An error without what it may give away: only these members are shown, so the `detail`, `where` and parameters of a
 * database error are not, nor are the values that its message quotes.
 */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: maskSecrets(String(error)) };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const message = safeMessage(error);
  // The stack repeats the message, in whatever words it had when the error was made.
  const stack = error.stack?.slice(Math.max(0, error.stack.search(/\n\s+at /)));
  return {
    type: error.name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(stack?.startsWith('\n') && { stack: maskSecrets(stack.trimStart()) }),
    ...(error.cause !== undefined && depth < 4 && { cause: serializeError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      depth < 4 && { errors: error.errors.slice(0, 5).map((inner) => serializeError(inner, depth + 1)) }),
  };
}
