import { ServiceError } from '../../core/errors.ts';
import { authenticateProject, type ProjectCaller } from '../../resolvers/auth/shared/authenticate-project.ts';
import { passGate } from '../../resolvers/functions/gate.ts';
import { callFunction, requestIdOf, sendReply } from '../functions/answer-call.ts';
import type { Call, CallEntry, Entry } from './entry.ts';
import { forEach } from './entry.ts';

const line = {
  host: 'gateway',
  path: '/functions/v1/:name',
  spelling: 'raw',
  auth: ({ ctx }: Pick<Call, 'ctx'>) => authenticateProject(ctx, { limited: true }),
  body: 'unread',
  async run({ exchange, params, ctx, admitted: { target, user } }: Call<ProjectCaller>) {
    const { services } = ctx;
    const name = params.name!;
    const site = await services.sites.live(target.orgId, target.projectId);
    if (site === null) throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
    const fn = site.functions.get(name);
    const gate = fn === undefined ? {} : await passGate(services, target, fn, user?.sub);
    const base = services.settings.publicBaseUrl ?? ctx.request.baseUrl;
    const { path, search } = exchange;
    const reply = await callFunction(exchange, {
      ctx,
      target,
      site,
      name,
      url: `${base}${path}${search === '' ? '' : `?${search}`}`,
      headers: { 'x-svc-route-pattern': `function:${name}`, ...gate },
    });
    sendReply(exchange, reply, { 'x-svc-request-id': requestIdOf(exchange), 'access-control-allow-origin': '*' });
  },
} satisfies Omit<CallEntry<ProjectCaller>, 'method'>;

/** Functions that are called directly, by the project's key. Contract 03, section 3.2. */
export const functionEntries: readonly Entry[] = forEach(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], line);
