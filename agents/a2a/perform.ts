import { ServiceError } from '../../core/errors.ts';
import { textFault } from '../../core/text.ts';
import { targetLengthMax } from '../../engines/site-audit/target.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { AgentTask } from '../../resolvers/agents/agent-tasks.ts';
import { findTarget } from '../find-target.ts';
import { isObject, RpcError, rpcCodes } from '../json-rpc.ts';
import { type MessagePayment, openMessagePayment, paymentAsked } from '../message-payment.ts';
import { passes, refusalFacts } from '../refusals.ts';
import type { AskedMessage } from './dialect.ts';
import { a2aError } from './errors.ts';
import { askingFacts, paidFacts, paymentIn } from './payment.ts';
import { type Skill, skillNamedIn, skillOf, skills } from './skills.ts';

export const a2aPath = '/api/a2a';

/** What is known of a task that a message goes on with. */
type Before = Pick<AgentTask, 'skill' | 'url'>;

interface Ask {
  readonly skill: Skill;
  readonly url: string | undefined;
}

/** What becomes of a task by a message: everything but whose it is. */
export type Outcome = Pick<AgentTask, 'state' | 'says' | 'facts' | 'skill' | 'url' | 'artifacts'>;

/**
 * What is asked for: by the first data that names a site or a skill, else by the words of the text, else as before.
 *
 * @throws RpcError for messages of files alone, and for data that is not as asked for
 */
function readAsk({ parts }: AskedMessage, before: Before | undefined): Ask {
  const usual = skillOf(before?.skill ?? '') ?? skills[0];
  if (parts.every((part) => 'file' in part)) throw a2aError('CONTENT_TYPE_NOT_SUPPORTED');
  const data = parts.flatMap((part) => ('data' in part && isObject(part.data) ? [part.data] : []));
  const asked = data.find(({ url }) => url !== undefined) ?? data.find(({ skill }) => skill !== undefined);
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  const { url = findTarget(text) ?? before?.url ?? undefined, skill } = asked ?? {};
  if (url !== undefined && !isKept(url))
    throw new RpcError(rpcCodes.invalidParams, `url must be a string of at most ${targetLengthMax} characters.`);
  if (skill === undefined) return { skill: skillNamedIn(text) ?? usual, url };
  const named = typeof skill === 'string' ? skillOf(skill) : undefined;
  if (named === undefined) {
    const known = skills.map(({ id }) => id).join(', ');
    throw new RpcError(rpcCodes.invalidParams, `skill must be one of ${known}.`);
  }
  return { skill: named, url };
}

/** Whether something may stand in a task for the site that was named, which is kept before anybody has judged it. */
const isKept = (url: unknown): url is string =>
  typeof url === 'string' && url.length <= targetLengthMax && textFault(url) === undefined;

/** What came of a message, and how what was paid for in it counts as delivered. */
export interface Performed {
  readonly outcome: Outcome;
  /** To be told once the outcome is kept. */
  readonly kept: () => void;
}

/**
 * Does what a message asks for, at once: nothing is left for later but a payment.
 *
 * @throws RpcError for what is no question, ServiceError for what may be answered another time
 */
export async function perform(ctx: Context, message: AskedMessage, before?: Before): Promise<Performed> {
  const { skill, url } = readAsk(message, before);
  const { services, request } = ctx;
  const resource = (services.settings.publicBaseUrl ?? request.baseUrl) + a2aPath;
  const payment = openMessagePayment(ctx, paymentIn(message), { resource, path: a2aPath });
  const outcome = await runSkill(skill, url, ctx, payment);
  return { outcome: { skill: skill.id, url: url ?? null, ...outcome }, kept: payment.packed };
}

async function runSkill(
  skill: Skill,
  url: string | undefined,
  asking: Context,
  payment: MessagePayment,
): Promise<Omit<Outcome, 'skill' | 'url'>> {
  const nothing = { facts: {}, artifacts: [] };
  if (skill.asks === 'site' && url === undefined)
    return {
      ...nothing,
      state: 'input-required',
      says: 'Which site? Send its HTTPS address or its host name, for example https://shop.example.org/.',
    };
  const ctx = skill.isSold === true ? payment.ctx : asking;
  try {
    const { title, data, markdown } = await (skill.asks === 'site' ? skill.run(ctx, url!) : skill.run(ctx));
    return {
      state: 'completed',
      says: `${title}: done.`,
      facts: paidFacts(payment.receipt()),
      artifacts: [
        { name: title, description: 'The answer as data.', part: { data } },
        {
          name: `${title}, to read`,
          description: 'The same as Markdown.',
          part: { text: markdown, mediaType: 'text/markdown' },
        },
      ],
    };
  } catch (failure) {
    const error = asRefusal(failure);
    const asked = paymentAsked(error);
    if (asked !== undefined)
      return {
        ...nothing,
        state: 'input-required',
        says: asked.reason === undefined ? 'This is paid for by x402.' : `The payment was not taken: ${asked.reason}.`,
        facts: askingFacts(asked),
      };
    if (!(error instanceof ServiceError) || passes(error)) throw error;
    const problem = refusalFacts(error, asking.request.traceId, a2aPath);
    return { ...nothing, state: 'failed', says: `${problem.code}: ${error.message}`, facts: { problem } };
  }
}
