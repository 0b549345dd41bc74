import { FunctionError } from './errors.ts';

/** What the runtime tells of the call that asks. It shares no module with this library. */
interface CurrentCall {
  readonly request: Request;
}

const currentCall = (globalThis as { [key: symbol]: unknown })[Symbol.for('svc.functions.currentCall')] as
  | (() => CurrentCall | undefined)
  | undefined;

/** The request of the call that asks; undefined outside of all calls. */
export const currentRequest = (): Request | undefined => currentCall?.()?.request;

/** @throws FunctionError SVC_SDK_OUTSIDE_REQUEST_CONTEXT */
export function requestOf(what: string): Request {
  const request = currentRequest();
  if (request !== undefined) return request;
  throw new FunctionError('SVC_SDK_OUTSIDE_REQUEST_CONTEXT', `${what} was called outside of a request.`);
}

/** A value of the environment that every function has. @throws FunctionError SVC_SDK_OUTSIDE_REQUEST_CONTEXT */
export function environment(name: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw new FunctionError('SVC_SDK_OUTSIDE_REQUEST_CONTEXT', `${name} is not set: this runs in no function.`);
}

/** What the platform tells of a call. Null: it does not say. */
export interface SvcContext {
  readonly requestId: string | null;
  readonly projectId: string | null;
  readonly releaseId: string | null;
  readonly host: string | null;
  readonly locale: string | null;
  readonly defaultLocale: string | null;
  readonly idempotencyKey: string | null;
}

/** Reads what the platform tells of a call. @param request @default the one of the call that asks */
export function getSvcContext(request = currentRequest()): SvcContext {
  const of = (name: string) => request?.headers.get(`x-svc-${name}`) ?? null;
  return {
    requestId: of('request-id'),
    projectId: of('project-id'),
    releaseId: of('release-id'),
    host: of('host'),
    locale: of('locale'),
    defaultLocale: of('default-locale'),
    idempotencyKey: of('idempotency-key'),
  };
}
