import { id, moment } from '../columns.ts';
import { bigint, boolean, date, index, integer, pgTable, primaryKey, smallint, sql, text } from '../drizzle.ts';

/** What was asked for with an audit: `free`, or what was paid for. */
export type AuditTier = 'free' | 'audit' | 'pro' | 'buyout';

/** Every audit that was finished, for every caller. Contract 00, section 6.5. */
export const audits = pgTable(
  'audits',
  {
    id: id().primaryKey(),
    domain: text('domain').notNull(),
    targetUrl: text('target_url').notNull(),
    geoScore: smallint('geo_score').notNull(),
    schemaScore: smallint('schema_score').notNull(),
    llmsTxtScore: smallint('llms_txt_score').notNull(),
    hasJsonLd: boolean('has_jsonld').notNull(),
    hasLlmsTxt: boolean('has_llms_txt').notNull(),
    allowsAiBots: boolean('allows_ai_bots').notNull(),
    tier: text('tier').$type<AuditTier>().notNull(),
    /** Version of the rubric that the scores are of. */
    rubric: text('rubric').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  // The last day is counted, and what is old is deleted.
  (t) => [index('audits_created_at_idx').on(t.createdAt)],
);

/** The sites that were audited within 400 days, each with its last audit. */
export const auditedDomains = pgTable(
  'audited_domains',
  {
    domain: text('domain').primaryKey(),
    geoScore: smallint('geo_score').notNull(),
    auditedAt: moment('audited_at').notNull(),
    /** Whether the site's robots.txt lets the gateway's own crawler in: others are not shown. */
    listed: boolean('listed').notNull(),
  },
  (t) => [
    // The newest are shown.
    index('audited_domains_listed_idx').on(t.auditedAt).where(sql`listed`),
    // What is old is deleted.
    index('audited_domains_audited_at_idx').on(t.auditedAt),
  ],
);

/** How many audits there were on each day in UTC: what statistics add up, however many audits there are. */
export const auditDays = pgTable(
  'audit_days',
  {
    day: date('day').notNull(),
    tier: text('tier').$type<AuditTier>().notNull(),
    audits: integer('audits').notNull(),
    /** Sum of their scores. */
    geoPoints: bigint('geo_points', { mode: 'bigint' }).notNull(),
    /** Those of them that were the first of their site. */
    newDomains: integer('new_domains').notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.tier] })],
);
