import { sql } from '../../../db/drizzle.ts';
import { type AuditTier, auditDays, auditedDomains, audits } from '../../../db/schema/audit-stats.ts';
import { allOf, excluded, insertInto, insertSelect, nameOf, namesOf, setOf, statement } from '../../../db/sql.ts';
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
  const audit = {
    id: newId('adt'),
    domain: report.domain,
    targetUrl: report.targetUrl,
    geoScore: report.scores.geo,
    schemaScore: report.scores.schema,
    llmsTxtScore: report.scores.llms_txt,
    hasJsonLd: report.hasJsonLd,
    hasLlmsTxt: report.hasLlmsTxt,
    allowsAiBots: report.allowsAiBots,
    tier,
    rubric: rubricVersion,
    createdAt: auditedAt,
  };
  await rows(recordStatement.with({ ...audit, listed: report.mayBeListed }));
}

// Whether a site is new decides the place of insertion: a row that an update wrote has `xmax` set.
const recordStatement = statement(
  'audits.record',
  { params: { ...allOf(audits), listed: auditedDomains.listed } },
  ({ listed, ...audit }) => sql`with site as (
      ${insertInto(auditedDomains, {
        domain: audit.domain,
        geoScore: audit.geoScore,
        auditedAt: audit.createdAt,
        listed,
      })} on conflict (${nameOf(auditedDomains.domain)}) do update ${setOf(auditedDomains, {
        geoScore: excluded(auditedDomains.geoScore),
        auditedAt: excluded(auditedDomains.auditedAt),
        listed: excluded(auditedDomains.listed),
      })} returning xmax = 0 as is_new
    ), counted as (
      ${insertSelect(
        auditDays,
        {
          day: sql`(${audit.createdAt}::timestamptz at time zone 'utc')::date`,
          tier: audit.tier,
          audits: sql`1`,
          geoPoints: audit.geoScore,
          newDomains: sql`is_new::int`,
        },
        sql`from site`,
      )}
      on conflict (${namesOf(auditDays.day, auditDays.tier)}) do update ${setOf(auditDays, {
        audits: sql`${auditDays.audits} + 1`,
        geoPoints: sql`${auditDays.geoPoints} + ${excluded(auditDays.geoPoints)}`,
        newDomains: sql`${auditDays.newDomains} + ${excluded(auditDays.newDomains)}`,
      })}
    )
    ${insertInto(audits, audit)}`,
);
