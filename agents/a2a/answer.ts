import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { inputDigest } from '../../kernel/durability/idempotency.ts';
import { assertWithinRate, type Rate } from '../../kernel/limits/rate-limit.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import {
  type AgentTask,
  advanceTask,
  findTask,
  findTaskOfMessage,
  keepTask,
} from '../../resolvers/agents/agent-tasks.ts';
import {
  errorBody,
  idOf,
  isObject,
  parseRpcBody,
  type RpcAnswer,
  RpcError,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  resultBody,
  rpcCodes,
} from '../json-rpc.ts';
import { x402Extension } from './card.ts';
import { type A2aVersion, type AskedMessage, type Dialect, dialects, readAsked } from './dialect.ts';
import { type A2aReason, a2aError, toA2aError, unknownMethod } from './errors.ts';
import { paymentIn, waitsForPayment } from './payment.ts';
import { a2aPath, type Performed, perform } from './perform.ts';

/** Messages of one client network, and tasks that they may leave behind: some cost nothing else. */
const messagesPerMinute = { perSecond: 2, burst: 120 };
const tasksPerDay = { perSecond: 1_000 / 86_400, burst: 1_000 };

type Method = (ctx: Context, params: RpcMessage['params'], dialect: Dialect) => Promise<object>;

const refused =
  (reason: A2aReason, message?: string): Method =>
  async () => {
    throw a2aError(reason, message);
  };

const streams = 'Nothing is streamed: a task has come to its end when it is answered.';
const lists = 'Tasks are not listed: each is read by its id, which its client alone knows.';

const methods: Readonly<Record<A2aVersion, Readonly<Record<string, Method>>>> = {
  '1.0': {
    SendMessage: send,
    GetTask: read,
    CancelTask: cancel,
    ListTasks: refused('UNSUPPORTED_OPERATION', lists),
    SendStreamingMessage: refused('UNSUPPORTED_OPERATION', streams),
    SubscribeToTask: refused('UNSUPPORTED_OPERATION', streams),
    GetExtendedAgentCard: refused('EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
    CreateTaskPushNotificationConfig: refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
    GetTaskPushNotificationConfig: refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
    ListTaskPushNotificationConfigs: refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
    DeleteTaskPushNotificationConfig: refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
  },
  '0.3': {
    'message/send': send,
    'tasks/get': read,
    'tasks/cancel': cancel,
    'message/stream': refused('UNSUPPORTED_OPERATION', streams),
    'tasks/resubscribe': refused('UNSUPPORTED_OPERATION', streams),
    'agent/getAuthenticatedExtendedCard': refused('EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
    'tasks/pushNotificationConfig/set': refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
    'tasks/pushNotificationConfig/get': refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
    'tasks/pushNotificationConfig/list': refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
    'tasks/pushNotificationConfig/delete': refused('PUSH_NOTIFICATION_NOT_SUPPORTED'),
  },
};

const versions = Object.keys(methods) as readonly A2aVersion[];

/** The version that a client speaks, where its method does not tell: an older one says nothing of it. */
const versionSaid = (headers: RpcRequest['headers']): string => headers['a2a-version']?.trim() || '0.3';

/**
 * Answers a POST of the agent protocol A2A, in either version, told apart by the names of their methods. Contract 00,
 * section 4.4.
 */
export async function answerA2a(ctx: Context, { headers, body }: RpcRequest): Promise<RpcAnswer> {
  const said = versionSaid(headers);
  let version: A2aVersion = said === '1.0' ? '1.0' : '0.3';
  let parsed: unknown;
  try {
    ctx.chargeAddress();
    parsed = parseRpcBody(body);
    const { id, method, params } = readMessage(parsed);
    version = versions.find((one) => Object.hasOwn(methods[one], method)) ?? version;
    if (!(versions as readonly string[]).includes(said)) throw a2aError('VERSION_NOT_SUPPORTED');
    const run = Object.hasOwn(methods[version], method) ? methods[version][method] : undefined;
    if (run === undefined) throw unknownMethod(method);
    // No client would hear what became of it.
    if (id === undefined) throw new RpcError(rpcCodes.invalidRequest, 'id is missing: every method is a request.');
    const result = await run(ctx, params, dialects[version]);
    return { status: 200, body: resultBody(result, id), headers: activated(headers) };
  } catch (failure) {
    return refusal(ctx, failure, version, parsed);
  }
}

/** Extensions that a client asks for are named to it again, as far as they are known here. */
function activated(headers: RpcRequest['headers']): Readonly<Record<string, string>> {
  const asking = ['a2a-extensions', 'x-a2a-extensions'].filter((name) =>
    headers[name]?.split(',').some((one) => one.trim() === x402Extension),
  );
  return Object.fromEntries(asking.map((name) => [name, x402Extension]));
}

function refusal(ctx: Context, failure: unknown, version: A2aVersion, parsed: unknown): RpcAnswer {
  const { request, services } = ctx;
  const error = asRefusal(failure);
  if (!(error instanceof RpcError || error instanceof ServiceError))
    services.log.error({ err: error, trace_id: request.traceId, path: a2aPath }, 'A request failed unexpectedly.');
  const after = error instanceof ServiceError ? error.retryAfter : undefined;
  return {
    status: 200,
    body: errorBody(toA2aError(error, version, request.traceId, a2aPath), idOf(parsed)),
    ...(after === undefined ? {} : { headers: { 'retry-after': String(after) } }),
  };
}

async function send(ctx: Context, params: RpcMessage['params'], dialect: Dialect): Promise<object> {
  const message = readAsked(params, dialect);
  if (wantsPush(params)) throw a2aError('PUSH_NOTIFICATION_NOT_SUPPORTED');
  charge(ctx, 'agent-messages', messagesPerMinute);
  const task = await (message.taskId === undefined ? begin(ctx, message) : goOn(ctx, message, message.taskId));
  return dialect.sent(dialect.task(task));
}

function charge({ services, request }: Context, what: string, rate: Rate): void {
  assertWithinRate(services.rateLimiter.take(`${what}:${networkOf(request.address)}`, rate));
}

const wantsPush = ({ configuration }: RpcMessage['params']): boolean =>
  isObject(configuration) &&
  (configuration.pushNotificationConfig ?? configuration.taskPushNotificationConfig) !== undefined;

const at = ({ services }: Context) => services.now().toISOString();

async function begin(ctx: Context, message: AskedMessage): Promise<AgentTask> {
  // All of the message and who sends it, not its id alone: ids are the clients' own, and the same bytes from elsewhere
  // lead to no other's task.
  const digest = inputDigest([networkOf(ctx.request.address), message]);
  const known = await findTaskOfMessage(ctx, digest);
  if (known !== undefined) return isUnpaid(known, message) ? goOn(ctx, message, known.id) : known;
  charge(ctx, 'agent-tasks', tasksPerDay);
  const performed = await perform(ctx, message);
  const contextId = message.contextId ?? randomUUID();
  const made = { id: ctx.services.newId('tsk'), contextId, at: at(ctx), ...performed.outcome };
  const task = await keepTask(ctx, made, digest);
  if (task.id === made.id) {
    performed.kept();
    return task;
  }
  // The same message came twice at once, and the other one was faster: it may have found this one's payment in use.
  const advanced = made.state === 'input-required' ? undefined : await bring(ctx, task, message, performed);
  return advanced ?? (await findTask(ctx, task.id))?.task ?? task;
}

/**
 * Brings a task that waits to what came of a message.
 *
 * @returns undefined when it does not wait any more: nothing of it is kept then
 */
async function bring(
  ctx: Context,
  task: AgentTask,
  message: AskedMessage,
  { outcome, kept }: Performed,
): Promise<AgentTask | undefined> {
  const advanced = await advanceTask(ctx, { ...task, at: at(ctx), ...outcome }, inputDigest(message));
  if (advanced !== undefined) kept();
  return advanced;
}

/** Whether a message that came before holds a payment which may be taken by now. */
const isUnpaid = ({ state, facts }: AgentTask, message: AskedMessage): boolean =>
  state === 'input-required' && waitsForPayment(facts) && paymentIn(message) !== undefined;

async function goOn(ctx: Context, message: AskedMessage, taskId: string): Promise<AgentTask> {
  const digest = inputDigest(message);
  const found = await findTask(ctx, taskId);
  if (found === undefined) throw a2aError('TASK_NOT_FOUND');
  const { task, lastMessage } = found;
  const over = () => a2aError('UNSUPPORTED_OPERATION', 'The task has come to its end; begin another one.');
  if (task.state !== 'input-required') {
    if (lastMessage === digest) return task;
    throw over();
  }
  const advanced = await bring(ctx, task, message, await perform(ctx, message, task));
  if (advanced !== undefined) return advanced;
  // The same message may have come twice at once.
  const now = await findTask(ctx, taskId);
  if (now?.lastMessage === digest) return now.task;
  throw over();
}

async function taskOf(ctx: Context, { id }: RpcMessage['params']): Promise<AgentTask> {
  if (typeof id !== 'string') throw new RpcError(rpcCodes.invalidParams, 'id must be a string.');
  // No id of ours holds what the database could not look for.
  const found = /^tsk_[0-9a-z]{26}$/.test(id) ? await findTask(ctx, id) : undefined;
  if (found === undefined) throw a2aError('TASK_NOT_FOUND');
  return found.task;
}

async function read(ctx: Context, params: RpcMessage['params'], dialect: Dialect): Promise<object> {
  return dialect.task(await taskOf(ctx, params));
}

async function cancel(ctx: Context, params: RpcMessage['params'], dialect: Dialect): Promise<object> {
  const task = await taskOf(ctx, params);
  const canceled: AgentTask = { ...task, state: 'canceled', at: at(ctx), says: 'Canceled by its client.' };
  const advanced = task.state === 'input-required' ? await advanceTask(ctx, canceled, `cancel ${task.id}`) : undefined;
  if (advanced === undefined) throw a2aError('TASK_NOT_CANCELABLE');
  return dialect.task(advanced);
}
