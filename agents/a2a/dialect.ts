import type { AgentTask, TaskArtifact, TaskPart, TaskState } from '../../resolvers/agents/agent-tasks.ts';
import { isObject, RpcError, rpcCodes } from '../json-rpc.ts';

/** A part of a message, as far as it matters here. */
export type AskedPart = { readonly text: string } | { readonly data: unknown } | { readonly file: true };

/** The two versions of the protocol that are spoken. Contract 00, section 4.3. */
export type A2aVersion = '1.0' | '0.3';

interface Dialect {
  readonly version: A2aVersion;
  readonly roles: readonly string[];
  /** @throws RpcError for what is no part of this version */
  readonly readPart: (part: Readonly<Record<string, unknown>>) => AskedPart;
  /** What sending a message is answered with. */
  readonly sent: (task: object) => object;
  readonly task: (task: AgentTask) => object;
}

const invalid = (message: string) => new RpcError(rpcCodes.invalidParams, message);

const statusMessageId = (task: AgentTask) => `${task.id}-${task.state}`;

const names = (state: TaskState) => `TASK_STATE_${state.toUpperCase().replace('-', '_')}`;

const withMetadata = (metadata: Readonly<Record<string, unknown>>) =>
  Object.keys(metadata).length === 0 ? {} : { metadata };

const artifacts = ({ artifacts: made }: AgentTask, part: (part: TaskPart) => object) =>
  made.map(({ name, description, part: one }: TaskArtifact, at) => ({
    artifactId: `artifact-${at + 1}`,
    name,
    description,
    parts: [part(one)],
  }));

const part10 = (part: TaskPart) =>
  'data' in part ? { data: part.data, mediaType: 'application/json' } : { text: part.text, mediaType: part.mediaType };

const part03 = (part: TaskPart) =>
  'data' in part
    ? { kind: 'data', data: part.data }
    : { kind: 'text', text: part.text, metadata: { mediaType: part.mediaType } };

const contents = ['text', 'data', 'url', 'raw'] as const;

const v10: Dialect = {
  version: '1.0',
  roles: ['ROLE_USER', 'ROLE_AGENT'],
  readPart(part) {
    const [content, ...more] = contents.filter((name) => part[name] !== undefined);
    if (content === undefined || more.length > 0)
      throw invalid('message.parts: each has exactly one of text, data, url and raw.');
    if (content === 'data') return { data: part.data };
    if (typeof part[content] !== 'string') throw invalid(`message.parts: ${content} must be a string.`);
    return content === 'text' ? { text: part.text as string } : { file: true };
  },
  sent: (task) => ({ task }),
  task: (task) => ({
    id: task.id,
    contextId: task.contextId,
    status: {
      state: names(task.state),
      timestamp: task.at,
      message: {
        messageId: statusMessageId(task),
        contextId: task.contextId,
        taskId: task.id,
        role: 'ROLE_AGENT',
        parts: [{ text: task.says, mediaType: 'text/plain' }],
        ...withMetadata(task.facts),
      },
    },
    artifacts: artifacts(task, part10),
  }),
};

const v03: Dialect = {
  version: '0.3',
  roles: ['user', 'agent'],
  readPart(part) {
    if (part.kind === 'text' && typeof part.text === 'string') return { text: part.text };
    if (part.kind === 'data' && part.data !== undefined) return { data: part.data };
    if (part.kind === 'file' && isObject(part.file)) return { file: true };
    throw invalid('message.parts: each is of kind text, data or file and has what it is of.');
  },
  sent: (task) => task,
  task: (task) => ({
    kind: 'task',
    id: task.id,
    contextId: task.contextId,
    status: {
      state: task.state,
      timestamp: task.at,
      message: {
        kind: 'message',
        messageId: statusMessageId(task),
        contextId: task.contextId,
        taskId: task.id,
        role: 'agent',
        parts: [{ kind: 'text', text: task.says }],
        ...withMetadata(task.facts),
      },
    },
    artifacts: artifacts(task, part03),
  }),
};

export const dialects: Readonly<Record<A2aVersion, Dialect>> = { '1.0': v10, '0.3': v03 };
export type { Dialect };

/** A message as a client sent it, in no version's words. */
export interface AskedMessage {
  readonly messageId: string;
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
  readonly parts: readonly AskedPart[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

const idLengthMax = 256;

/** @throws RpcError for what is no message of this version */
export function readAsked(params: Readonly<Record<string, unknown>>, { roles, readPart }: Dialect): AskedMessage {
  const { message } = params;
  if (!isObject(message)) throw invalid('params.message must be an object.');
  const { messageId, taskId, contextId, role, parts, metadata = {} } = message;
  if (!isName(messageId)) throw invalid(`message.messageId must be a string of 1 to ${idLengthMax} characters.`);
  for (const [name, id] of Object.entries({ taskId, contextId })) {
    // What is unset may come empty.
    if (id !== undefined && id !== '' && !isName(id))
      throw invalid(`message.${name} must be a string of at most ${idLengthMax} characters.`);
  }
  if (!roles.includes(role as string)) throw invalid(`message.role must be one of ${roles.join(', ')}.`);
  if (!Array.isArray(parts) || parts.length === 0) throw invalid('message.parts must be a list that is not empty.');
  if (!isObject(metadata)) throw invalid('message.metadata must be an object.');
  return {
    messageId,
    taskId: (taskId as string | undefined) || undefined,
    contextId: (contextId as string | undefined) || undefined,
    parts: parts.map((part: unknown) => {
      if (!isObject(part)) throw invalid('message.parts: each must be an object.');
      return readPart(part);
    }),
    metadata,
  };
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length >= 1 &&
  value.length <= idLengthMax &&
  value.isWellFormed() &&
  !value.includes('\0');
