import type { ControlDatabase } from './control-database.ts';

interface PlanNode {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Temp Read Blocks': number;
}

/** How many pages of 8 KiB a statement looks at, wherever they are, when it runs with some values. */
export async function buffersOf(
  { sql }: Pick<ControlDatabase, 'sql'>,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await sql<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `explain (analyze, buffers, timing off, format json) ${statement}`,
    values,
  );
  const { Plan: plan } = row!['QUERY PLAN'][0];
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] + plan['Temp Read Blocks'];
}

/** The plan of a statement for all values, in words. */
export const genericPlanOf = async ({ sql }: Pick<ControlDatabase, 'sql'>, statement: string): Promise<string> =>
  (await sql<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${statement}`))
    .map((row) => row['QUERY PLAN'])
    .join('\n');
