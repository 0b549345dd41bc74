import type { Logger } from 'pino';
import type { Mailer } from '../../engines/mail/mailer.ts';
import type { Context } from './context.ts';
import type { AnyOperation } from './operation.ts';

/** What background work has at hand. */
export interface TaskContext {
  /** Acts for the installation itself; its signal is aborted when the server stops. */
  readonly ctx: Context;
  readonly mailer: Mailer;
  /** Operations by name: a step operation is finished or undone by the one that began it. */
  readonly operations: ReadonlyMap<string, AnyOperation>;
  readonly log: Logger;
  /** Has a job run at a later time; it replaces one of the same key that waits. */
  readonly addJob: (
    task: string,
    payload: Readonly<Record<string, string>>,
    when: { readonly key: string; readonly runAt: Date },
  ) => Promise<void>;
}

/** Work that runs behind the scenes. Throws what went wrong; it is tried again then. */
export type Task = (job: TaskContext, payload: unknown) => Promise<void>;
