export interface FunctionErrorOptions {
  /** Status of HTTP: of the gateway's refusal, or of the answer that the error becomes. @default 500 */
  readonly status?: number;
  /** What the gateway said, as it came. */
  readonly body?: unknown;
  /** The id of the gateway's refusal, `trc_…`. */
  readonly traceId?: string | undefined;
  /** Code of the gateway's refusal. */
  readonly remoteCode?: string | undefined;
}

/** What the library, or the gateway that it asked, refused. */
export class FunctionError extends Error {
  override readonly name: string = 'FunctionError';
  readonly code: string;
  readonly status: number;
  readonly body: unknown;
  readonly traceId: string | undefined;
  readonly remoteCode: string | undefined;

  constructor(code: string, message: string, options: FunctionErrorOptions = {}) {
    super(message);
    const { status = 500, body, traceId, remoteCode } = options;
    this.code = code;
    this.status = status;
    this.body = body;
    this.traceId = traceId;
    this.remoteCode = remoteCode;
  }
}

/** The runtime answers an error that has this with what it returns, where no code of the function catches it. */
const answerKey = Symbol.for('svc.functions.answer');

/** What is said to the caller of a function, unless the function says something else. */
export class AnsweredError extends FunctionError {
  override readonly name = 'AnsweredError';

  [answerKey](): Response {
    const { code, message, status } = this;
    return Response.json({ code, message }, { status, headers: { 'x-svc-error-code': code } });
  }
}
