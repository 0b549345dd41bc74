import type { z } from 'zod';
import { invalidField, ServiceError, toEnvelope } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import { callerKey, isPrincipal } from '../../kernel/access/caller.ts';
import { ReplayedRefusal } from '../../kernel/durability/idempotency.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import { correlate, projectConcerned } from '../../kernel/run/correlation.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { findResult, type Keeper, keepResult } from '../../resolvers/agents/kept-results.ts';
import { unknownTool } from '../mcp/answer.ts';
import { paymentKey, settled } from '../mcp/payment.ts';
import type { RunningCalls } from '../mcp/running-calls.ts';
import type { McpServer, ServerInfo, ToolCall, ToolResult } from '../mcp/server.ts';
import { openMessagePayment, paymentAsked } from '../message-payment.ts';
import { errorText, type Refused } from './error-text.ts';
import { followed } from './follow-call.ts';
import { callTool, expandResult, findTools, listedOwn, type OwnTool, toolsFound, windowOf } from './own-tools.ts';
import { resultText } from './present.ts';
import { type Profile, profiles } from './profiles.ts';
import { type Arguments, BodyRefusal, listed, type Tool, type ToolRun, titleOf } from './tool.ts';
import { toolTable } from './tools.ts';

export const platformPath = '/mcp';

export interface PlatformOptions {
  readonly info: ServerInfo;
  readonly profile: Profile;
  readonly calls: RunningCalls;
  /** What a call is made of besides its context. */
  readonly run: Omit<ToolRun, 'ctx'>;
}

/** @throws VALIDATION_FAILED for a profile that there is not */
export function profileNamed(name: string | undefined): Profile {
  const profile = name === undefined ? profiles[0] : profiles.find((one) => one.name === name);
  if (profile === undefined)
    throw invalidField('profile', `must be one of ${profiles.map((one) => one.name).join(', ')}`);
  return profile;
}

/** From nothing to a deployed application with users, by the tools' own names. */
const firstSteps =
  'First steps: whoami, then list_projects with all: true. Where there is no project: create_org, then provision_postgres_project with its org_id, run_sql to create tables, and apply_expose to let applications reach them. Then deploy_site and deploy_function put pages and code online, request_magic_link and verify_magic_link sign a user of the application in, and rest_query reads and writes rows as that user.';

const instructions = (profile: Profile): string =>
  [
    ...(profile.reachesAll ? [firstSteps] : []),
    'An organization has projects, each with a database of its own, and rooms in which people and agents work together.',
    ...(profile.reachesAll
      ? ['Not every tool is listed: find_tools finds the others by words of what they do, and call_tool calls them.']
      : []),
    'Where a tool takes project_id it stands for the organization and the room of the project, too.',
    'A refusal says by its code what is wrong; repeat a call only where it is retryable and safe_to_retry.',
  ].join(' ');

const ownTools: readonly OwnTool[] = [findTools, callTool, expandResult];

const lists = new Map<string, readonly object[]>();

/** The tools of a profile as `tools/list` shows them. */
export function listOf(profile: Profile): readonly object[] {
  let list = lists.get(profile.name);
  if (list === undefined) {
    const chosen = [...toolTable().values()].filter(profile.lists).map(listed);
    list = profile.reachesAll ? [...chosen, ...ownTools.map(listedOwn)] : chosen;
    lists.set(profile.name, list);
  }
  return list;
}

/** What is served at `/mcp`: every operation of the platform, to callers that may run it. Contract 04, section 4.1. */
export function platformServer(options: PlatformOptions): McpServer {
  const { info, profile, calls } = options;
  return {
    info,
    path: platformPath,
    instructions: instructions(profile),
    calls,
    listTools: () => listOf(profile),
    callTool: async (ctx, call) => {
      // The message was paid for; the operation charges its address itself.
      ctx.onAdmitted?.();
      return callNamed(ctx, call, options);
    },
    facts: (refusal, traceId) => toEnvelope(refusal, traceId),
  };
}

async function callNamed(ctx: Context, call: ToolCall, options: PlatformOptions): Promise<ToolResult> {
  const { name, args } = call;
  const { profile } = options;
  const tool = toolTable().get(name);
  if (tool !== undefined && (profile.reachesAll || profile.lists(tool))) return callOne(tool, ctx, call, options);
  const own = profile.reachesAll ? ownTools.find((one) => one.name === name) : undefined;
  if (own === undefined) {
    ctx.chargeAddress();
    throw unknownTool(name);
  }
  return guarded(name, ctx, async () => {
    ctx.chargeAddress();
    if (own === findTools) return plain(name, toolsFound(toolTable().values(), parsed(findTools, args)));
    if (own === expandResult) {
      const window = parsed(expandResult, args);
      return plain(name, windowOf(await findResult(ctx, await keeperOf(ctx, call), window.ref), window));
    }
    const { name: inner, arguments: given } = parsed(callTool, args);
    if (ownTools.some((one) => one.name === inner)) throw invalidField('name', 'is called by itself');
    if (!toolTable().has(inner)) throw invalidField('name', 'there is no such tool; find_tools names those there are');
    return callNamed(ctx, { ...call, name: inner, args: given }, options);
  });
}

const parsed = <Input extends z.ZodObject>(tool: { readonly input: Input }, args: Arguments): z.output<Input> =>
  parseInput(tool, args as z.input<Input>, (name) => name);

/** A result that is asked for to be read, whole. */
const plain = async (name: string, result: object): Promise<ToolResult> => ({
  content: [{ type: 'text', text: await resultText(titleOf(name), result) }],
  structuredContent: result,
});

/** Whose a list is that was laid by. A key is in many hands, and an address: there it is the session's. */
async function keeperOf(ctx: Context, { session }: ToolCall): Promise<Keeper> {
  const [caller, network] = [await ctx.caller(), networkOf(ctx.request.address)];
  const owner = callerKey(caller, network);
  return { owner, session: isPrincipal(caller) ? '' : sha256Hex(session ?? network) };
}

/** What was done is told, whether or not its list could be laid by. */
const kept = async (ctx: Context, call: ToolCall, items: readonly unknown[]): Promise<string | undefined> => {
  try {
    return await keepResult(ctx, await keeperOf(ctx, call), items);
  } catch (error) {
    ctx.services.log.warn({ err: error, trace_id: ctx.request.traceId }, 'A long result was not laid by.');
    return undefined;
  }
};

async function callOne(tool: Tool, ctx: Context, call: ToolCall, options: PlatformOptions): Promise<ToolResult> {
  const { reveal, args } = revealed(tool, call.args);
  const resource = `mcp://tool/${tool.name}`;
  const payment = openMessagePayment(ctx, call.meta[paymentKey], { resource, path: resource });
  const paying = tool.isPriced ? payment.ctx : ctx;
  const result = await guarded(tool.name, ctx, async () => {
    const done = await followed(tool, args, call.progress, (progress) =>
      tool.run({ ...options.run, ctx: { ...paying, progress } }, args),
    );
    payment.packed();
    const text = await resultText(titleOf(tool.name), done, {
      secrets: reveal ? [] : tool.secrets,
      // What was revealed is kept no more than what was not.
      keep: tool.secrets.length > 0 ? async () => undefined : (items) => kept(ctx, call, items),
    });
    return { content: [{ type: 'text', text }], structuredContent: done };
  });
  return result.isError === true ? result : { ...result, ...settled(payment.receipt()) };
}

/** Tools whose results hold secrets show them in their text to a client that says so. */
function revealed({ secrets }: Tool, given: Arguments): { readonly reveal: boolean; readonly args: Arguments } {
  if (secrets.length === 0) return { reveal: false, args: given };
  const { reveal, ...args } = given;
  return { reveal: reveal === true, args };
}

/** What goes wrong inside a tool is its result. */
async function guarded(name: string, ctx: Context, run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (failure) {
    const error = asRefusal(failure, ctx.request.idempotencyKey);
    const asked = paymentAsked(error);
    if (asked !== undefined) {
      const { challenge, receipt } = asked;
      const text = `Error calling ${name}: this has to be paid for; sign the challenge and call again with it in _meta["${paymentKey}"] (HTTP 402)`;
      return {
        ...refused(`${text}\n\n\`\`\`json\n${JSON.stringify(challenge, null, 2)}\n\`\`\``, challenge),
        ...settled(receipt),
      };
    }
    if (error instanceof BodyRefusal) {
      const body = { ...error.body, status: error.status };
      return refused(errorText(name, body, error.status), body);
    }
    if (!(error instanceof ServiceError)) throw error;
    const traceId = error instanceof ReplayedRefusal ? error.traceId : ctx.request.traceId;
    const envelope = correlate(toEnvelope(error, traceId), ctx.services.incidents, projectConcerned(error));
    return refused(errorText(name, envelope as unknown as Refused, error.status), envelope);
  }
}

const refused = (text: string, structuredContent: object): ToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
  isError: true,
});
