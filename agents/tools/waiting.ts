import { setTimeout as delay } from 'node:timers/promises';
import { invalidField } from '../../core/errors.ts';
import { movedWhileAllowed } from '../../kernel/feeds/held-read.ts';
import type { Context } from '../../kernel/run/context.ts';
import { followClaims } from '../../subscriptions/claims.ts';
import { followEscalations } from '../../subscriptions/escalations.ts';
import { followEvents } from '../../subscriptions/events.ts';
import type { FeedSource } from '../../subscriptions/feed-source.ts';
import { followPresences } from '../../subscriptions/presences.ts';
import { type Arguments, refuseUnknown, type Tool } from './tool.ts';

/** Longest that a call is held, in seconds, as other held reads are. */
export const waitMax = 25;

interface Waiting {
  /** The operation by which following begins. */
  readonly operation: string;
  /** What is waited for, as its argument says it. */
  readonly about: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a feed holds, it is only waited for.
  readonly follow: (ctx: Context, args: Arguments) => FeedSource<any, unknown>;
  /** Whether there is nothing to be told yet. @default whatever there is, a change is waited for */
  readonly isSilent?: (answer: object) => boolean;
}

/**
 * Lets a tool that reads wait for what it would read next, and be told of meanwhile. What is waited for begins before
 * anything is read, so nothing can come between the two.
 */
export function waiting(tool: Tool, { operation, about, follow, isSilent }: Waiting): Tool {
  const wait = { type: 'integer', minimum: 1, maximum: waitMax, description: about };
  const input = { ...tool.input, properties: { ...tool.input.properties, wait } };
  return {
    ...tool,
    input,
    operations: [...tool.operations, operation],
    waits: ({ wait: asked }) => (typeof asked === 'number' ? bounded(asked) : undefined),
    async run(run, { wait: asked, ...args }) {
      if (asked === undefined || asked === null) return tool.run(run, args);
      refuseUnknown(input, args);
      if (typeof asked !== 'number') throw invalidField('wait', 'must be a number of seconds');
      const { ctx } = run;
      const { feed, head, authority, selects } = await follow(ctx, args).open();
      if (isSilent !== undefined) {
        const answer = await tool.run(run, args);
        if (!isSilent(answer)) return answer;
      }
      const timeoutMs = bounded(asked) * 1_000;
      await movedWhileAllowed(ctx, feed, { after: head, timeoutMs, authority, matching: selects });
      return tool.run(run, args);
    },
  };
}

const bounded = (seconds: number) => Math.min(Math.max(Math.ceil(seconds), 1), waitMax) || 1;

/** A list of events waits for the next one, where it is at its end. */
export const waitingForEvents = (tool: Tool): Tool =>
  waiting(tool, {
    operation: 'events.open',
    about: 'Seconds to wait for an event when there is none after the cursor, 1 to 25.',
    follow: (ctx, { org_id, project_id, source, event_type }) =>
      followEvents(ctx, {
        org: org_id as string | undefined,
        project: project_id as string | undefined,
        source: source as string | undefined,
        types: event_type as string[] | undefined,
      }),
    isSilent: (page) => (page as { readonly events: readonly unknown[] }).events.length === 0,
  });

/** What is claimed in a room is listed again as soon as that has changed. */
const waitingForClaims = (tool: Tool): Tool =>
  waiting(tool, {
    operation: 'claims.open',
    about: 'Seconds to wait, 1 to 25, until something is claimed or released; then all is listed.',
    follow: (ctx, { org_id, room_key }) => followClaims(ctx, { org: org_id as string, room: room_key as string }),
  });

/** Who is in a room is listed again as soon as a presence comes or goes. */
const waitingForPresences = (tool: Tool): Tool =>
  waiting(tool, {
    operation: 'rooms.openPresences',
    about: 'Seconds to wait, 1 to 25, until somebody comes or goes; then all are listed.',
    follow: (ctx, { org_id, room_key, name }) =>
      followPresences(ctx, { org: org_id as string, room: room_key as string, name: name as string | undefined }),
  });

/** Escalations are read again as soon as the one that is meant, or any of them, has changed. */
export const waitingForEscalation = (tool: Tool): Tool =>
  waiting(tool, {
    operation: 'escalations.open',
    about: 'Seconds to wait, 1 to 25, until it has changed, as by being acknowledged; of the list, any of them.',
    follow: (ctx, { org_id, escalation_id }) =>
      followEscalations(ctx, { org: org_id as string, escalation: escalation_id as string | undefined }),
  });

/** Seconds for which hosts are asked again, unless told. Contract 03, section 2.7. */
const coherenceSeconds = 60;

/** Hosts are asked again every second until all of them answer with the release. */
function askingAgain(tool: Tool): Tool {
  const properties = {
    ...tool.input.properties,
    wait: { type: 'boolean', description: 'Whether to ask again until all hosts answer with the release.' },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      description: `For how long, in seconds; one call is held for ${waitMax} at most, and then answers as it stands.`,
    },
  };
  const input = { ...tool.input, properties };
  const secondsOf = ({ timeout_seconds: given }: Arguments) =>
    bounded(typeof given === 'number' ? given : coherenceSeconds);
  return {
    ...tool,
    input,
    waits: (args) => (args.wait === true ? secondsOf(args) : undefined),
    async run(run, given) {
      refuseUnknown(input, given);
      const { wait, timeout_seconds: timeout, ...args } = given;
      if (typeof (wait ?? false) !== 'boolean') throw invalidField('wait', 'must be true or false');
      if (typeof (timeout ?? 1) !== 'number') throw invalidField('timeout_seconds', 'must be a number of seconds');
      const until = performance.now() + (wait === true ? secondsOf(given) * 1_000 : 0);
      for (;;) {
        const answer = (await tool.run(run, args)) as { readonly coherent?: boolean };
        if (answer.coherent === true || performance.now() + 1_000 > until) return answer;
        await delay(1_000, undefined, { signal: run.ctx.signal });
      }
    },
  };
}

/** Tools that stand for one operation, by that, with how they wait. */
export const waitingFor: Readonly<Record<string, (tool: Tool) => Tool>> = {
  'claims.list': waitingForClaims,
  'deploys.verifyEdge': askingAgain,
  'rooms.listPresences': waitingForPresences,
  'orgs.listEvents': waitingForEvents,
};
