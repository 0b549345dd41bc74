import { type AiServer, startAiServer } from '../helpers/ai-server.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { type Service, type ServiceOptions, startService } from '../helpers/service.ts';

/** A gateway whose models are those of the emulator. */
export async function startAiWorld(
  options: ServiceOptions = {},
  more: (server: AiServer) => Record<string, string> = () => ({}),
) {
  const server = await startAiServer();
  const service = await startService({ ...options, env: { ...server.env, ...more(server), ...options.env } });
  const stop = async () => {
    await service.stop();
    await server.close();
  };
  return { server, service, stop, ...doorsOf(service) };
}

export function doorsOf(service: Service) {
  const call = documentedCalls(service);
  const { admin } = service.actors;
  const addon = (method: 'POST' | 'DELETE', projectId: string, body: object = {}) =>
    call(admin, method, '/ai/v1/addons', { body: { project_id: projectId, addon: 'translation', ...body } });
  return {
    call,
    addon,
    /** A project that may translate so many words, whose organization has so many micro-dollars. */
    async project({ words = 1_000, credit = 0 }: { readonly words?: number; readonly credit?: number } = {}) {
      const made = await service.project();
      if (words > 0) await addon('POST', made.projectId, { included_words: words });
      if (credit > 0)
        await call(admin, 'POST', `/orgs/v1/admin/${made.orgId}/credits`, { body: { amount_usd_micros: credit } });
      const key = service.actors.bearer(made.serviceKey);
      return {
        ...made,
        key,
        translate: (body: object, headers: Record<string, string> = {}) =>
          call(key, 'POST', '/ai/v1/translate', { body: { to: 'es', ...body }, headers }),
        moderate: (text: unknown) => call(key, 'POST', '/ai/v1/moderate', { body: { text } }),
        image: (body: object, headers: Record<string, string> = {}) =>
          call(key, 'POST', '/generate-image/v1', { body, headers }),
        usage: async () => (await call(key, 'GET', '/ai/v1/usage')).body.translation,
        balance: async () => {
          const { body } = await call(admin, 'GET', `/orgs/v1/${made.orgId}/billing`);
          return { available: body.available_usd_micros, held: body.held_usd_micros };
        },
      };
    },
    /** What is taken for requests that are under way. */
    holds: async () => (await service.control.sql<{ id: string }>('select id from ai_holds')).length,
  };
}
