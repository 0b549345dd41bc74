import type { Statement } from '../../db/pool.ts';
import type { Context } from '../../kernel/run/context.ts';

export type TaskState = 'completed' | 'failed' | 'canceled' | 'input-required';

export type TaskPart = { readonly data: object } | { readonly text: string; readonly mediaType: string };

export interface TaskArtifact {
  readonly name: string;
  readonly description: string;
  readonly part: TaskPart;
}

/** A task of the agent protocol, in no version's words. */
export interface AgentTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** When it came to this state, ISO 8601. */
  readonly at: string;
  /** What the agent says to it. */
  readonly says: string;
  /** What goes with what the agent says, for programs. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The skill that was asked for, for whoever has yet to say of which site. */
  readonly skill: string | null;
  /** The site that was named, for whoever has yet to pay. */
  readonly url: string | null;
  readonly artifacts: readonly TaskArtifact[];
}

/** How long tasks can be read, in hours. Contract 00, section 4.4. */
const keptHours = 24;

interface TaskRow {
  readonly body: AgentTask;
  readonly last_message: string;
}

const byId: Statement = {
  name: 'agent_task',
  text: 'select body, last_message from a2a_tasks where id = $1 and expires_at > now()',
};

const byMessage: Statement = {
  name: 'agent_task_of_message',
  text: 'select body, last_message from a2a_tasks where first_message = $1 and expires_at > now()',
};

const insert: Statement = {
  name: 'agent_task_insert',
  text: `insert into a2a_tasks (id, first_message, last_message, state, body, expires_at)
    values ($1, $2, $2, $3, $4, now() + interval '${keptHours} hours')
    on conflict (first_message) do update
      set id = excluded.id, last_message = excluded.last_message, state = excluded.state, body = excluded.body,
        created_at = now(), expires_at = excluded.expires_at
      where a2a_tasks.expires_at <= now()
    returning body, last_message`,
};

const advance: Statement = {
  name: 'agent_task_advance',
  text: `update a2a_tasks set state = $2, body = $3, last_message = $4
    where id = $1 and state = 'input-required' and expires_at > now() returning body, last_message`,
};

type Store = Pick<Context, 'services'>;

/** The task that a message began; undefined when it is a new one. */
export async function findTaskOfMessage({ services }: Store, message: string): Promise<AgentTask | undefined> {
  return (await services.db.rows<TaskRow>(byMessage, [message]))[0]?.body;
}

/** A task by its id, with the digest of the message that last continued it; undefined when there is none any more. */
export async function findTask(
  { services }: Store,
  id: string,
): Promise<{ readonly task: AgentTask; readonly lastMessage: string } | undefined> {
  const [row] = await services.db.rows<TaskRow>(byId, [id]);
  return row === undefined ? undefined : { task: row.body, lastMessage: row.last_message };
}

/** Keeps a new task. @returns it, or the one that the same message began at the same time */
export async function keepTask(store: Store, task: AgentTask, message: string): Promise<AgentTask> {
  const [kept] = await store.services.db.rows<TaskRow>(insert, [task.id, message, task.state, JSON.stringify(task)]);
  return kept?.body ?? (await findTaskOfMessage(store, message)) ?? task;
}

/**
 * Brings a task that waits for its client to another state.
 *
 * @returns undefined when it does not wait any more
 */
export async function advanceTask(
  { services }: Store,
  task: AgentTask,
  message: string,
): Promise<AgentTask | undefined> {
  const [row] = await services.db.rows<TaskRow>(advance, [task.id, task.state, JSON.stringify(task), message]);
  return row?.body;
}
