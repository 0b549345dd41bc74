import { AsyncLocalStorage } from 'node:async_hooks';

/** The call that code runs for, as the library of functions sees it. */
export interface CurrentCall {
  /** Number of the call in this process. */
  readonly id: number;
  readonly requestId: string;
  readonly request: Request;
  /** When the answer has to be complete, as milliseconds since 1970. */
  readonly deadline: number;
}

const storage = new AsyncLocalStorage<CurrentCall>();

/** The call that asks; undefined outside of all calls. */
export const currentCall = (): CurrentCall | undefined => storage.getStore();

/** Runs work for a call, with everything that it starts. */
export const runAs = <T>(call: CurrentCall, work: () => T): T => storage.run(call, work);

/** Where the bundled library finds `currentCall`: they share no module. */
export const contextKey = Symbol.for('svc.functions.currentCall');
