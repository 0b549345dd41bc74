import type { ProjectDatabase } from '../../db/project-databases.ts';
import {
  type AnalysisQuery,
  askedSetting,
  askSql,
  reportedFindings,
  reportedSql,
} from '../../engines/expose/analysed.ts';
import type { Finding } from '../../engines/expose/finding.ts';
import type { Context } from '../../kernel/run/context.ts';
import { asOwner, inProject, once } from './shared/in-project.ts';

/** Has PostgreSQL analyse the SQL of a manifest, with the rights and the names that it would be applied with. */
export async function analyse(
  { services, signal }: Pick<Context, 'services' | 'signal'>,
  database: ProjectDatabase,
  asked: readonly AnalysisQuery[],
): Promise<Finding[]> {
  if (asked.length === 0) return [];
  const texts = JSON.stringify(asked.map(({ text }) => text));
  const statements = [
    asOwner(true),
    // Texts mean what they meant to the one who read them as expressions.
    once(`select set_config('standard_conforming_strings', 'on', true), set_config('${askedSetting}', $1, true)`, [
      texts,
    ]),
    once(askSql),
    once(reportedSql),
  ];
  const rows = await inProject(() => services.projectPools.run(database, statements, { signal, discard: true }));
  return reportedFindings(asked, rows.at(-1)![0]![0]!);
}
