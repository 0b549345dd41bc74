import { sql } from '../../db/drizzle.ts';
import { a2aTasks } from '../../db/schema/agent-work.ts';
import { computed, excluded, insertInto, nameOf, pick, setOf, statement } from '../../db/sql.ts';
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

const row = { body: computed<AgentTask>('jsonb', sql`${a2aTasks.body}`), lastMessage: a2aTasks.lastMessage };

const byId = statement(
  'agent_task',
  { params: pick(a2aTasks, 'id'), row },
  ({ id }, columns) =>
    sql`select ${columns} from ${a2aTasks} where ${a2aTasks.id} = ${id} and ${a2aTasks.expiresAt} > now()`,
);

const byMessage = statement(
  'agent_task_of_message',
  { params: { message: a2aTasks.firstMessage }, row },
  ({ message }, columns) => sql`select ${columns} from ${a2aTasks}
    where ${a2aTasks.firstMessage} = ${message} and ${a2aTasks.expiresAt} > now()`,
);

const insert = statement(
  'agent_task_insert',
  { params: { id: a2aTasks.id, message: a2aTasks.firstMessage, ...pick(a2aTasks, 'state', 'body') }, row },
  ({ id, message, state, body }, columns) =>
    sql`${insertInto(a2aTasks, {
      id,
      firstMessage: message,
      lastMessage: message,
      state,
      body,
      expiresAt: sql`now() + interval '${sql.raw(String(keptHours))} hours'`,
    })} on conflict (${nameOf(a2aTasks.firstMessage)}) do update ${setOf(a2aTasks, {
      id: excluded(a2aTasks.id),
      lastMessage: excluded(a2aTasks.lastMessage),
      state: excluded(a2aTasks.state),
      body: excluded(a2aTasks.body),
      createdAt: sql`now()`,
      expiresAt: excluded(a2aTasks.expiresAt),
    })} where ${a2aTasks.expiresAt} <= now() returning ${columns}`,
);

const advance = statement(
  'agent_task_advance',
  { params: { ...pick(a2aTasks, 'id', 'state', 'body'), message: a2aTasks.lastMessage }, row },
  ({ id, state, body, message }, columns) => sql`update ${a2aTasks}
    ${setOf(a2aTasks, { state, body, lastMessage: message })}
    where ${a2aTasks.id} = ${id} and ${a2aTasks.state} = 'input-required' and ${a2aTasks.expiresAt} > now()
    returning ${columns}`,
);

type Store = Pick<Context, 'services'>;

/** The task that a message began; undefined when it is a new one. */
export async function findTaskOfMessage({ services }: Store, message: string): Promise<AgentTask | undefined> {
  return (await services.db.rows(byMessage.with({ message })))[0]?.body;
}

/** A task by its id, with the digest of the message that last continued it; undefined when there is none any more. */
export async function findTask(
  { services }: Store,
  id: string,
): Promise<{ readonly task: AgentTask; readonly lastMessage: string } | undefined> {
  const [found] = await services.db.rows(byId.with({ id }));
  return found === undefined ? undefined : { task: found.body, lastMessage: found.lastMessage };
}

/** Keeps a new task. @returns it, or the one that the same message began at the same time */
export async function keepTask(store: Store, task: AgentTask, message: string): Promise<AgentTask> {
  const given = { id: task.id, message, state: task.state, body: JSON.stringify(task) };
  const [kept] = await store.services.db.rows(insert.with(given));
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
  const given = { id: task.id, state: task.state, body: JSON.stringify(task), message };
  return (await services.db.rows(advance.with(given)))[0]?.body;
}
