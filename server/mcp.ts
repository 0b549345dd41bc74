import { toEnvelope } from '../core/errors.ts';
import type { Context } from '../kernel/run/context.ts';
import { answerMcp } from '../rest-compat/agents/mcp/answer.ts';
import { revisions } from '../rest-compat/agents/mcp/revisions.ts';
import { createRunningCalls } from '../rest-compat/agents/mcp/running-calls.ts';
import { listOf, platformPath, platformServer, profileNamed } from '../rest-compat/tools/platform-server.ts';
import { profiles } from '../rest-compat/tools/profiles.ts';
import type { ToolRun } from '../rest-compat/tools/tool.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { arrivalOf, contextOf } from './exchange-context.ts';
import { answerRpc } from './json-rpc.ts';
import { mcpEntries } from './mcp-entries.ts';
import { createContext } from './request-context.ts';
import type { Entry } from './routes/entry.ts';
import { standingOf } from './status.ts';

/** Largest body of a call, in bytes: as of the documented paths that the same operations answer. */
const bodyBytesMax = 1024 * 1024;

const profileHeader = 'svc-mcp-profile';

/** The platform's own tools over the Model Context Protocol: every operation, with the credentials of any other path. */
export function platformMcpEntries(options: HttpOptions): Entry[] {
  const info = { name: 'svc-platform', version: options.version };
  const shared = { info, calls: createRunningCalls(options.signals) };
  const standing = standingOf(options);
  return mcpEntries(options, {
    path: platformPath,
    answer: (exchange) => {
      const facts = toEnvelope;
      return answerRpc(exchange, { limit: bodyBytesMax, facts, mustBeJson: true, streams: true }, () => {
        const profile = profileOf(exchange);
        const { ctx, as } = contextsOf(options, exchange);
        return (call) => answerMcp(ctx, call, platformServer({ ...shared, profile, run: { as, standing } }));
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
