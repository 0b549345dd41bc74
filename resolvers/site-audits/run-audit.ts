import { z } from 'zod';
import { anyone } from '../../kernel/access/access.ts';
import { budgets } from '../../kernel/limits/budgets.ts';
import { query } from '../../kernel/run/operation.ts';
import { askAudit, auditInput } from './ask-audit.ts';
import { type FreeAudit, freeAudit } from './free-audit.ts';
import { whoWaits } from './shared/who-waits.ts';

const FreeAuditWire = z
  .object({
    ok: z.literal(true),
    domain: z.string(),
    target_url: z.string(),
    geo_score: z.int(),
    schema_score: z.int(),
    llms_txt_score: z.int(),
    has_jsonld: z.boolean(),
    has_llms_txt: z.boolean(),
    allows_ai_bots: z.boolean(),
    tier: z.literal('free'),
    generated_jsonld: z.string(),
    generated_llms_txt: z.string(),
    preview: z.object({
      checks_shown: z.int(),
      checks_total: z.int(),
      checks: z.array(
        z.object({ id: z.string(), title: z.string(), points: z.int(), max: z.int(), evidence: z.string() }),
      ),
      redacted: z.literal(true),
    }),
    telemetry: z.object({
      final_url: z.string(),
      http_status: z.int(),
      redirects: z.int(),
      fetched_bytes: z.int(),
      truncated: z.boolean(),
      flags: z.array(z.string()),
      timings_ms: z.object({ dns: z.int(), tls: z.int(), ttfb: z.int(), total: z.int() }),
      robots_status: z.int().nullable(),
      rubric: z.string(),
      token_table: z.string(),
      cached: z.boolean(),
      audited_at: z.iso.datetime(),
    }),
  })
  .meta({ id: 'FreeAudit' });

/** `GET` and `POST /api/audit`. Contract 00, section 3.11. */
export const runAudit = query({
  name: 'audit.run',
  tool: 'audit_site',
  command: 'audit run',
  effects: ['openWorld'],
  duration: 'steps',
  summary:
    'Audit how well a site can be read and cited by AI, with the first findings; one is shared for some minutes.',
  access: anyone(),
  budget: () => budgets.freeAudits,
  input: auditInput,
  async handler(ctx, input): Promise<FreeAudit> {
    const { target, request } = askAudit(ctx, input);
    const { auditor } = ctx.services;
    const { audited, cached } = await auditor.audit(target, { ...request, ...whoWaits(ctx) });
    return freeAudit(audited, cached);
  },
  wire: FreeAuditWire,
  toWire: (audit) => ({
    ok: true as const,
    domain: audit.domain,
    target_url: audit.targetUrl,
    geo_score: audit.geoScore,
    schema_score: audit.schemaScore,
    llms_txt_score: audit.llmsTxtScore,
    has_jsonld: audit.hasJsonLd,
    has_llms_txt: audit.hasLlmsTxt,
    allows_ai_bots: audit.allowsAiBots,
    tier: 'free' as const,
    generated_jsonld: audit.generatedJsonLd,
    generated_llms_txt: audit.generatedLlmsTxt,
    preview: {
      checks_shown: audit.checks.length,
      checks_total: audit.checksTotal,
      checks: audit.checks.map(({ id, title, points, max, evidence }) => ({ id, title, points, max, evidence })),
      redacted: true as const,
    },
    telemetry: {
      final_url: audit.telemetry.finalUrl,
      http_status: audit.telemetry.httpStatus,
      redirects: audit.telemetry.redirects,
      fetched_bytes: audit.telemetry.fetchedBytes,
      truncated: audit.telemetry.truncated,
      flags: [...audit.telemetry.flags],
      timings_ms: { ...audit.telemetry.timings },
      robots_status: audit.telemetry.robotsStatus,
      rubric: audit.telemetry.rubric,
      token_table: audit.telemetry.tokenTable,
      cached: audit.telemetry.cached,
      audited_at: audit.telemetry.auditedAt.toISOString(),
    },
  }),
});
