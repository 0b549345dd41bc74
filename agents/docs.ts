import { z } from 'zod';
import { getPricing } from '../resolvers/site-audits/get-pricing.ts';
import { runAudit } from '../resolvers/site-audits/run-audit.ts';
import { JsonRpcResponse } from '../rest-compat/openapi/json-rpc-schemas.ts';
import { referenceTo, SchemaPrinter } from '../rest-compat/openapi/json-schema.ts';
import type { PathDoc } from '../rest-compat/openapi/path-doc.ts';
import { a2aPath } from './a2a/perform.ts';
import { mcpPath } from './mcp/audit-server.ts';
import { nearPath } from './near/answer.ts';

const rpc = (path: string, summary: string, request: object, result: object): PathDoc => ({
  method: 'POST',
  path,
  summary,
  body: { required: true, schema: referenceTo('JsonRpcRequest') },
  answer: JsonRpcResponse,
  doc: {
    ownRefusals: true,
    examples: {
      request: { jsonrpc: '2.0', id: 1, ...request },
      answer: { jsonrpc: '2.0', id: 1, result },
    },
  },
});

const McpMetadata = z.object({
  ok: z.literal(true),
  name: z.string(),
  version: z.string(),
  description: z.string(),
  endpoint: z.url(),
  transport: z.literal('streamable-http'),
  protocol_versions: z.array(z.string()),
  tools: z.array(z.record(z.string(), z.unknown())),
  pricing: getPricing.wire,
});

const AgentCard = z.looseObject({
  ok: z.literal(true),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  url: z.url(),
  supportedInterfaces: z.array(z.record(z.string(), z.unknown())),
  skills: z.array(z.record(z.string(), z.unknown())),
});

const NearStatus = z.object({
  ok: z.literal(true),
  status: z.literal('ready'),
  service: z.string(),
  accepted_fields: z.array(z.string()),
  sample: z.object({ format: z.literal('markdown'), content: z.string() }),
});

const Job = z.object({
  event: z.string().optional(),
  type: z.string().optional(),
  job_id: z.union([z.string(), z.number()]).optional(),
  task_id: z.union([z.string(), z.number()]).optional(),
  id: z.union([z.string(), z.number()]).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  prompt: z.string().optional(),
  url: z.string().optional(),
  target_url: z.string().optional(),
  input: z.object({ url: z.string().optional() }).optional(),
  callback_url: z.string().optional(),
});

const JobAnswer = z.object({
  ok: z.literal(true),
  job_id: z.string(),
  status: z.literal('completed'),
  fulfilment: z.object({
    status: z.enum(['completed', 'partial']),
    completed_at: z.iso.datetime(),
    duration_ms: z.int(),
  }),
  deliverable: z.object({ format: z.literal('markdown'), content: z.string(), sha256: z.string() }),
  audit: runAudit.wire.nullable(),
});

const base = 'https://gateway.example';

/** What the description of the API says of the paths of agents. Contract 00, section 6.1. */
export const agentDocs: readonly PathDoc[] = [
  {
    method: 'GET',
    path: mcpPath,
    summary: 'What is offered over the Model Context Protocol.',
    answer: McpMetadata,
    doc: {
      examples: {
        answer: {
          ok: true,
          name: 'svc-gateway',
          version: '0.1.0',
          description: 'Audits of sites.',
          endpoint: base + mcpPath,
          transport: 'streamable-http',
          protocol_versions: ['2025-11-25', '2026-07-28'],
          tools: [{ name: 'get_pricing', inputSchema: { type: 'object', properties: {} } }],
          pricing: {
            ok: true,
            settlement: {
              network: 'base',
              caip2: 'eip155:8453',
              chain_id: 8_453,
              asset: 'USDC',
              asset_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
              decimals: 6,
              pay_to: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
            },
            tiers: [],
            plans: [{ plan: 'starter', price_usd: '3.00', path: '/api/verify-tx' }],
          },
        },
      },
    },
  },
  rpc(
    mcpPath,
    'The Model Context Protocol, in both of its generations.',
    { method: 'tools/call', params: { name: 'get_pricing', arguments: {} } },
    { content: [{ type: 'text', text: '{"ok":true}' }], structuredContent: { ok: true } },
  ),
  {
    method: 'GET',
    path: a2aPath,
    summary: 'The agent card: what is offered over A2A.',
    answer: AgentCard,
    doc: {
      examples: {
        answer: {
          ok: true,
          name: 'svc-gateway audit agent',
          description: 'Audits of sites.',
          version: '0.1.0',
          url: base + a2aPath,
          supportedInterfaces: [{ url: base + a2aPath, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          skills: [{ id: 'audit-site', name: 'Audit a site' }],
        },
      },
    },
  },
  rpc(
    a2aPath,
    'The agent protocol A2A, in the versions 1.0 and 0.3.',
    {
      method: 'SendMessage',
      params: { message: { messageId: '7c0f6d0e', role: 'ROLE_USER', parts: [{ text: 'pricing' }] } },
    },
    { task: { id: 'tsk_01m2n3p4q5r6s7t8v9w0x1y2z3', status: { state: 'TASK_STATE_COMPLETED' } } },
  ),
  {
    method: 'GET',
    path: nearPath,
    summary: 'Whether jobs of marketplaces of agents are taken, and what is delivered.',
    answer: NearStatus,
    doc: {
      examples: {
        answer: {
          ok: true,
          status: 'ready',
          service: 'svc-gateway',
          accepted_fields: ['job_id', 'url'],
          sample: { format: 'markdown', content: '# What this agent does\n' },
        },
      },
    },
  },
  {
    method: 'POST',
    path: nearPath,
    summary: 'Deliver a job of a marketplace of agents at once.',
    body: { required: false, schema: new SchemaPrinter().print(Job, 'input') },
    answer: JobAnswer,
    doc: {
      refusals: ['BAD_SIGNATURE', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
      examples: {
        request: { job_id: '42', url: 'https://shop.example.org/' },
        answer: {
          ok: true,
          job_id: '42',
          status: 'completed',
          fulfilment: { status: 'partial', completed_at: '2026-11-22T07:00:00.000Z', duration_ms: 240 },
          deliverable: { format: 'markdown', content: '# The site could not be audited\n', sha256: '0'.repeat(64) },
          audit: null,
        },
      },
    },
  },
];
