import type pg from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** One statement as Postgres ran it. */
export interface Executed {
  readonly text: string;
  readonly ms: number;
  /** Pages of 8 KiB that were looked at, wherever they were. */
  readonly buffers: number;
  /** Rows that were read from each table, those that were thrown away among them. */
  readonly rowsRead: ReadonlyMap<string, number>;
  /** Tables that were read from end to end. */
  readonly seqScans: readonly string[];
}

/** Statements of a gateway as they run from now on, with the plans that they really ran with. */
export interface CapturedPlans {
  /** Takes in what a server told. */
  readonly hear: (message: string) => void;
  /** What has run since the last call. */
  readonly take: () => Executed[];
}

const settings: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** Makes new connections to a database tell the plan of every statement they run. Needs a superuser. */
export async function explainEverything(client: pg.ClientBase, database: string): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter database "${database}" set ${name} = '${value}'`);
  }
}

/** Takes that back, for connections made from now on. */
export async function explainNothing(client: pg.ClientBase, database: string): Promise<void> {
  for (const name of Object.keys(settings)) await client.query(`alter database "${database}" reset ${name}`);
}

/**
 * Collects what connections of a gateway tell it (`AppOptions.onNotice`); see {@link explainEverything}. Not an EXPLAIN of
 * ours: a prepared statement has plans for its values at first and perhaps one for all values later, and only what has run
 * says which it was.
 */
export function capturePlans(): CapturedPlans {
  let executed: Executed[] = [];
  return {
    hear(message) {
      const [, ms, json] = /^duration: ([\d.]+) ms {2}plan:\n(.*)$/s.exec(message) ?? [];
      if (json !== undefined) executed.push(read(Number(ms), JSON.parse(json)));
    },
    take() {
      const taken = executed;
      executed = [];
      return taken;
    },
  };
}

function read(ms: number, { 'Query Text': text, Plan: root }: { 'Query Text': string; Plan: PlanNode }): Executed {
  const nodes = [...allOf(root)];
  return {
    text,
    ms,
    buffers: (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0),
    rowsRead: nodes.reduce((sums, node) => {
      const table = node['Relation Name'];
      // A change names its table, too, and has read it by the scan below.
      if (table === undefined || node['Node Type'] === 'ModifyTable') return sums;
      return sums.set(table, (sums.get(table) ?? 0) + rowsOf(node));
    }, new Map<string, number>()),
    seqScans: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
  };
}

function* allOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* allOf(child);
}

const rowsOf = (node: PlanNode) =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  (node['Actual Loops'] ?? 1);
