import { ServiceError } from '../../core/errors.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import { openMessagePayment, paymentAsked } from '../message-payment.ts';
import { refusalFacts } from '../refusals.ts';
import { unknownTool } from './answer.ts';
import { paymentKey, settled } from './payment.ts';
import type { McpServer, ServerInfo, ToolCall, ToolResult } from './server.ts';
import { listTools, toolOf } from './tools.ts';

export const mcpPath = '/api/mcp';

/** What is served at `/api/mcp`: audits of sites, to every client. Contract 00, section 4. */
export const auditServer = (info: ServerInfo): McpServer => ({
  info,
  path: mcpPath,
  listTools,
  callTool,
  facts: (refusal, traceId) => refusalFacts(refusal, traceId, mcpPath),
});

/** What is sold is paid for in `_meta`, where the settlement is told of, too. Contract 00, section 4.2. */
async function callTool(ctx: Context, { name, args, meta }: ToolCall): Promise<ToolResult> {
  const tool = toolOf(name);
  if (tool === undefined) throw unknownTool(name);
  const resource = `mcp://tool/${name}`;
  const payment = openMessagePayment(ctx, meta[paymentKey], { resource, path: resource });
  try {
    const result = toolResult(await tool.call(tool.isSold ? payment.ctx : ctx, args));
    payment.packed();
    return { ...result, ...settled(payment.receipt()) };
  } catch (failure) {
    const error = asRefusal(failure);
    const asked = paymentAsked(error);
    if (asked !== undefined) return { ...toolResult(asked.challenge), isError: true, ...settled(asked.receipt) };
    if (!(error instanceof ServiceError)) throw error;
    return { ...toolResult(refusalFacts(error, ctx.request.traceId, mcpPath)), isError: true };
  }
}

const toolResult = (structuredContent: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});
