import { answerMcp } from '../agents/mcp/answer.ts';
import { revisions } from '../agents/mcp/revisions.ts';
import { createRunningCalls } from '../agents/mcp/running-calls.ts';
import { listOf, platformPath, platformServer, profileNamed } from '../agents/tools/platform-server.ts';
import { profiles } from '../agents/tools/profiles.ts';
import type { ToolRun } from '../agents/tools/tool.ts';
import { toEnvelope } from '../core/errors.ts';
import type { Context } from '../kernel/run/context.ts';
import { bodyBytesMax } from './body.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { arrivalOf, contextOf } from './exchange-context.ts';
import { answerRpc } from './json-rpc.ts';
import { mcpEntries } from './mcp-entries.ts';
import { createContext } from './request-context.ts';
import type { Entry } from './routes/entry.ts';
import { serviceStatusOf } from './status.ts';

const profileHeader = 'svc-mcp-profile';

/** The platform's own tools over the Model Context Protocol: every operation, with the credentials of any other path. */
export function platformMcpEntries(options: HttpOptions): Entry[] {
  const info = { name: 'svc-platform', version: options.version };
  const shared = { info, calls: createRunningCalls(options.signals) };
  const service = serviceStatusOf(options);
  return mcpEntries(options, {
    path: platformPath,
    answer: (exchange) => {
      const facts = toEnvelope;
      return answerRpc(exchange, { limit: bodyBytesMax, facts, mustBeJson: true, streams: true }, () => {
        const profile = profileOf(exchange);
        const { ctx, as } = contextsOf(options, exchange);
        return (call) => answerMcp(ctx, call, platformServer({ ...shared, profile, run: { as, service } }));
      });
    },
    endSession: shared.calls.endSession,
    look: async (exchange) => {
      const profile = profileOf(exchange);
      const { services, request } = contextOf(options, exchange);
      return {
        ...info,
        endpoint: (services.settings.publicBaseUrl ?? request.baseUrl) + platformPath,
        transport: 'streamable-http',
        protocol_versions: revisions,
        profile: profile.name,
        profiles: profiles.map(({ name }) => name),
        tools: listOf(profile),
      };
    },
  });
}

/** A request's context, and the same request's with other credentials: it is counted as one. */
function contextsOf(options: HttpOptions, exchange: Exchange): { readonly ctx: Context; readonly as: ToolRun['as'] } {
  const arrival = arrivalOf(options, exchange);
  return {
    ctx: createContext(options.services, arrival),
    as: (credentials, signal) => createContext(options.services, { ...arrival, credentials, signal }),
  };
}

/** Which tools are listed: by the address, or by a header where a client lets its headers alone be set. */
function profileOf({ request, search }: Exchange) {
  const header = request.headers[profileHeader];
  const named = new URLSearchParams(search).get('profile') ?? (Array.isArray(header) ? header[0] : header);
  return profileNamed(named === '' ? undefined : (named ?? undefined));
}
