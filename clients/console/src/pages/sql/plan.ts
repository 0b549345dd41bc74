/** A node of a plan as `explain (format json)` tells it. */
interface RawNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Name'?: string;
  readonly 'CTE Name'?: string;
  readonly 'Function Name'?: string;
  readonly 'Join Type'?: string;
  readonly Operation?: string;
  readonly 'Total Cost': number;
  readonly 'Plan Rows': number;
  readonly 'Actual Total Time'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Filter?: string;
  readonly 'Index Cond'?: string;
  readonly 'Hash Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly 'Recheck Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly RawNode[];
}

interface RawPlan {
  readonly Plan: RawNode;
  readonly 'Planning Time'?: number;
  readonly 'Execution Time'?: number;
}

export interface PlanNode {
  readonly name: string;
  /** The table, index or function that it reads. */
  readonly of: string | undefined;
  /** Conditions and keys, a phrase each. */
  readonly notes: readonly string[];
  /** Its own part, without its children: milliseconds where it was run, else cost. */
  readonly own: number;
  /** {@link own} as a part of the whole, from 0 to 1. */
  readonly share: number;
  readonly planned: number;
  /** Rows of all loops together; undefined where it was not run. */
  readonly actual: number | undefined;
  readonly loops: number | undefined;
  readonly isCostliest: boolean;
  readonly children: readonly PlanNode[];
}

export interface Plan {
  readonly root: PlanNode;
  /** Whether it was run: times in milliseconds, else costs of the planner. */
  readonly isAnalysed: boolean;
  readonly planningMs: number | undefined;
  readonly executionMs: number | undefined;
}

const wholeOf = (node: RawNode): number =>
  node['Actual Total Time'] === undefined
    ? node['Total Cost']
    : node['Actual Total Time'] * (node['Actual Loops'] ?? 1);

const ownOf = (node: RawNode): number =>
  Math.max(0, wholeOf(node) - (node.Plans ?? []).reduce((sum, child) => sum + wholeOf(child), 0));

const allOf = (node: RawNode): RawNode[] => [node, ...(node.Plans ?? []).flatMap(allOf)];

/** Reads what `explain (format json)` answered. @returns undefined for anything else */
export function planOf(answer: unknown): Plan | undefined {
  const [first] = (Array.isArray(answer) ? answer : []) as readonly Partial<RawPlan>[];
  if (first?.Plan === undefined) return undefined;
  const all = allOf(first.Plan);
  const total = all.reduce((sum, node) => sum + ownOf(node), 0);
  const most = Math.max(...all.map(ownOf));
  const costliest = all.length > 1 && most > 0 ? all.find((node) => ownOf(node) === most) : undefined;
  const shown = (node: RawNode): PlanNode => {
    const loops = node['Actual Loops'];
    const rows = node['Actual Rows'];
    return {
      name: [node.Operation, node['Join Type'] !== 'Inner' && node['Join Type'], node['Node Type']]
        .filter(Boolean)
        .join(' '),
      of: node['Relation Name'] ?? node['CTE Name'] ?? node['Function Name'] ?? node['Index Name'],
      notes: notesOf(node),
      own: ownOf(node),
      share: total === 0 ? 0 : ownOf(node) / total,
      planned: node['Plan Rows'] * (loops ?? 1),
      actual: rows === undefined ? undefined : rows * (loops ?? 1),
      loops,
      isCostliest: node === costliest,
      children: (node.Plans ?? []).map(shown),
    };
  };
  return {
    root: shown(first.Plan),
    isAnalysed: first.Plan['Actual Total Time'] !== undefined,
    planningMs: first['Planning Time'],
    executionMs: first['Execution Time'],
  };
}

function notesOf(node: RawNode): string[] {
  const said = (name: string, value: unknown) => (value === undefined ? [] : [`${name} ${String(value)}`]);
  return [
    ...said('index', node['Relation Name'] === undefined ? undefined : node['Index Name']),
    ...said('by', node['Index Cond'] ?? node['Recheck Cond']),
    ...said('on', node['Hash Cond'] ?? node['Join Filter']),
    ...said('where', node.Filter),
    ...said('order', node['Sort Key']?.join(', ')),
    ...(node['Rows Removed by Filter'] ? [`${node['Rows Removed by Filter'].toLocaleString()} rows left out`] : []),
  ];
}

/** How far the planner was off: 10 for ten times too many or too few; undefined where it was not run. */
export const misjudged = ({ planned, actual }: PlanNode): number | undefined =>
  actual === undefined ? undefined : Math.max(planned, 1) / Math.max(actual, 1);
