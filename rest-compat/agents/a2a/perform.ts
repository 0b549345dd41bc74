import { ServiceError } from '../../../core/errors.ts';
import type { AgentTask } from '../../../resolvers/agents/agent-tasks.ts';
import type { Context } from '../../../resolvers/context.ts';
import { asRefusal } from '../../../resolvers/execute.ts';
import { findTarget } from '../find-target.ts';
import { isObject, RpcError, rpcCodes } from '../json-rpc.ts';
import { passes, refusalFacts } from '../refusals.ts';
import type { AskedMessage } from './dialect.ts';
import { a2aError } from './errors.ts';
import { type Skill, skillNamedIn, skillOf, skills } from './skills.ts';

export const a2aPath = '/api/a2a';

interface Ask {
  readonly skill: Skill;
  readonly url: string | undefined;
}

/** What becomes of a task by a message: everything but whose it is. */
export type Outcome = Pick<AgentTask, 'state' | 'says' | 'facts' | 'skill' | 'artifacts'>;

/**
 * What is asked for: by the first data that names a site or a skill, else by the words of the text.
 *
 * @param before the skill that the task was begun with
 * @throws RpcError for messages of files alone, and for data that is not as asked for
 */
function readAsk({ parts }: AskedMessage, before: string | null): Ask {
  const usual = skillOf(before ?? '') ?? skills[0];
  if (parts.every((part) => 'file' in part)) throw a2aError('CONTENT_TYPE_NOT_SUPPORTED');
  const data = parts.flatMap((part) => ('data' in part && isObject(part.data) ? [part.data] : []));
  const asked = data.find(({ url }) => url !== undefined) ?? data.find(({ skill }) => skill !== undefined);
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  const { url = findTarget(text), skill } = asked ?? {};
  if (url !== undefined && typeof url !== 'string') throw new RpcError(rpcCodes.invalidParams, 'url must be a string.');
  if (skill === undefined) return { skill: skillNamedIn(text) ?? usual, url };
  const named = typeof skill === 'string' ? skillOf(skill) : undefined;
  if (named === undefined) {
    const known = skills.map(({ id }) => id).join(', ');
    throw new RpcError(rpcCodes.invalidParams, `skill must be one of ${known}.`);
  }
  return { skill: named, url };
}

/**
 * Does what a message asks for, at once: nothing is left for later.
 *
 * @throws RpcError for what is no question, ServiceError for what may be answered another time
 */
export async function perform(ctx: Context, message: AskedMessage, before: string | null): Promise<Outcome> {
  const { skill, url } = readAsk(message, before);
  const outcome = { skill: skill.id, facts: {}, artifacts: [] };
  if (skill.asks === 'site' && url === undefined)
    return {
      ...outcome,
      state: 'input-required',
      says: 'Which site? Send its HTTPS address or its host name, for example https://shop.example.org/.',
    };
  try {
    const { title, data, markdown } = await (skill.asks === 'site' ? skill.run(ctx, url!) : skill.run(ctx));
    return {
      ...outcome,
      state: 'completed',
      says: `${title}: done.`,
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
    if (!(error instanceof ServiceError) || passes(error)) throw error;
    const problem = refusalFacts(error, ctx.request.traceId, a2aPath);
    return { ...outcome, state: 'failed', says: `${problem.code}: ${error.message}`, facts: { problem } };
  }
}
