import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { getPricing } from '../../resolvers/site-audits/get-pricing.ts';
import { mcpPath } from './audit-server.ts';
import { revisions } from './revisions.ts';
import type { ServerInfo } from './server.ts';
import { listTools } from './tools.ts';

/** What `GET /api/mcp` answers. Contract 00, section 4.2. */
export async function mcpMetadata(ctx: Context, { name, version }: ServerInfo): Promise<object> {
  const { services, request } = ctx;
  return {
    ok: true,
    name,
    version,
    description: 'Audits how well sites can be read and cited by AI; the full report is sold over x402.',
    endpoint: (services.settings.publicBaseUrl ?? request.baseUrl) + mcpPath,
    transport: 'streamable-http',
    protocol_versions: revisions,
    tools: listTools(),
    pricing: await getPricing.toWire(await execute(getPricing, ctx, {}), ctx),
  };
}

/** Whether a GET asks for a stream, which there is none of: clients that were answered otherwise would ask for ever. */
export const asksForStream = (accept = ''): boolean =>
  /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(accept) && !/(^|,)\s*application\/json\s*(;|,|$)/i.test(accept);
