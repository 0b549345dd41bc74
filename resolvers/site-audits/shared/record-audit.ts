import type { Statement } from '../../../db/pool.ts';
import type { AuditTier } from '../../../db/schema/audit-stats.ts';
import type { Audited } from '../../../engines/site-audit/audit-run.ts';
import { rubricVersion } from '../../../engines/site-audit/rubric/score.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Services } from '../../../kernel/run/context.ts';

/**
 * Keeps a finished audit for the statistics: once for each that was carried out, and not again for those who are given
 * its report out of memory. In a transaction it comes late: audits of a day and tier wait for each other's.
 *
 * @param to the database, or a transaction
 */
export async function recordAudit(
  { rows }: Pick<Work, 'rows'>,
  { newId }: Pick<Services, 'newId'>,
  { report, auditedAt }: Audited,
  tier: AuditTier,
): Promise<void> {
  await rows(recordStatement, [
    newId('adt'),
    report.domain,
    report.targetUrl,
    report.scores.geo,
    report.scores.schema,
    report.scores.llms_txt,
    report.hasJsonLd,
    report.hasLlmsTxt,
    report.allowsAiBots,
    tier,
    rubricVersion,
    auditedAt,
    report.mayBeListed,
  ]);
}

// Whether a site is new decides the place of insertion: a row that an update wrote has `xmax` set.
const recordStatement: Statement = {
  name: 'audits.record',
  text: `with site as (
      insert into audited_domains (domain, geo_score, audited_at, listed) values ($2, $4, $12, $13)
      on conflict (domain) do update
        set geo_score = excluded.geo_score, audited_at = excluded.audited_at, listed = excluded.listed
      returning xmax = 0 as is_new
    ), counted as (
      insert into audit_days as d (day, tier, audits, geo_points, new_domains)
      select ($12::timestamptz at time zone 'utc')::date, $10, 1, $4, is_new::int from site
      on conflict (day, tier) do update set audits = d.audits + 1, geo_points = d.geo_points + excluded.geo_points,
        new_domains = d.new_domains + excluded.new_domains
    )
    insert into audits (id, domain, target_url, geo_score, schema_score, llms_txt_score, has_jsonld, has_llms_txt,
      allows_ai_bots, tier, rubric, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
};
