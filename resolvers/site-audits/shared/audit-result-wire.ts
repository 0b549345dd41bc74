import { z } from 'zod';

const Score = z.int().min(0).max(100);

/** What a paid audit says. Contract 00, section 0.3. */
export const auditResultFields = {
  ok: z.literal(true),
  domain: z.string(),
  target_url: z.string(),
  geo_score: Score,
  schema_score: Score,
  llms_txt_score: Score,
  has_jsonld: z.boolean(),
  has_llms_txt: z.boolean(),
  allows_ai_bots: z.boolean(),
  generated_jsonld: z.string(),
  generated_llms_txt: z.string(),
  tier: z.string(),
};

export const AuditResultWire = z.object(auditResultFields).meta({ id: 'AuditResult' });

/** Every check, every crawler, every node. Contract 00, section 3.11. */
export const FullReportWire = z
  .object({
    rubric: z.string(),
    token_table: z.string(),
    final_url: z.string(),
    http_status: z.int(),
    robots_status: z.int().nullable(),
    llms_full_status: z.int().nullable(),
    flags: z.array(z.string()),
    parts: z.array(z.object({ part: z.string(), weight: z.int(), score: Score })),
    checks: z.array(
      z.object({
        id: z.string(),
        part: z.string(),
        title: z.string(),
        points: z.int(),
        max: z.int(),
        evidence: z.string(),
      }),
    ),
    bots: z.array(
      z.object({
        token: z.string(),
        class: z.string(),
        allowed: z.boolean(),
        group: z.string().nullable(),
        rule: z.object({ text: z.string(), line: z.int() }).nullable(),
      }),
    ),
    content_signals: z.array(z.string()),
    node_types: z.array(z.string()),
  })
  .meta({ id: 'AuditFullReport' });

/** What was bought, and by which payment. */
export const OrderWire = z
  .object({
    id: z.string(),
    tx: z.string(),
    network: z.string(),
    payer: z.string(),
    domain: z.string(),
    price_usd: z.string(),
    paid_at: z.string(),
    audited_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AuditOrder' });

/** An archive that was bought. Contract 00, section 5.4. */
export const DeliveryWire = z
  .object({
    filename: z.string(),
    media_type: z.literal('application/zip'),
    bytes: z.int(),
    sha256: z.string(),
    download_url: z.string(),
    expires_at: z.string(),
    base64: z.string().optional(),
  })
  .meta({ id: 'Delivery' });
