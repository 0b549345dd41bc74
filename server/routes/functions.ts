import { requestIdOf } from '../../core/tracing.ts';
import { authenticateProject, type ProjectCaller } from '../../resolvers/auth/shared/authenticate-project.ts';
import { callDirectly } from '../../resolvers/functions/call-function.ts';
import { functionRequestOf, namingFailure, sendReply } from '../functions/answer-call.ts';
import type { Call, CallEntry, Entry } from './entry.ts';
import { forEach } from './entry.ts';

const line = {
  host: 'gateway',
  path: '/functions/v1/:name',
  spelling: 'raw',
  auth: ({ ctx }: Pick<Call, 'ctx'>) => authenticateProject(ctx, { limited: true }),
  body: 'unread',
  async run({ exchange, params, ctx, admitted }: Call<ProjectCaller>) {
    const { path, search } = exchange;
    const asked = { name: params.name!, path: search === '' ? path : `${path}?${search}` };
    const answer = async () => {
      const reply = await callDirectly(ctx, admitted, asked, functionRequestOf(exchange));
      sendReply(exchange, reply, {
        'x-svc-request-id': requestIdOf(exchange.traceId),
        'access-control-allow-origin': '*',
      });
    };
    await namingFailure(exchange, answer());
  },
} satisfies Omit<CallEntry<ProjectCaller>, 'method'>;

/** Functions that are called directly, by the project's key. Contract 03, section 3.2. */
export const functionEntries: readonly Entry[] = forEach(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], line);
