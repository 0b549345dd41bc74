import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { misjudged, type Plan, type PlanNode } from './plan.ts';

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** A plan as a tree: what each part costs, and whether the planner knew how many rows there are. */
export function PlanView({ plan, raw }: { readonly plan: Plan; readonly raw: unknown }) {
  const [tab, setTab] = useState('tree');
  const times = [
    plan.executionMs !== undefined && `Execution ${fine.format(plan.executionMs)} ms`,
    plan.planningMs !== undefined && `planning ${fine.format(plan.planningMs)} ms`,
  ].filter(Boolean);
  return (
    <div className="plan">
      {times.length > 0 && <p className="quiet small">{times.join(', ')}</p>}
      <Tabs
        label="Plan"
        selected={tab}
        select={setTab}
        pages={[
          { id: 'tree', name: 'Tree', content: <Tree plan={plan} /> },
          { id: 'json', name: 'JSON', content: <CodeBlock title="Plan" code={JSON.stringify(raw, null, 2)} /> },
        ]}
      />
    </div>
  );
}

function Tree({ plan: { root, isAnalysed } }: { readonly plan: Plan }) {
  return (
    <ol className="plan-tree">
      <Node node={root} isAnalysed={isAnalysed} />
    </ol>
  );
}

function Node({ node, isAnalysed }: { readonly node: PlanNode; readonly isAnalysed: boolean }) {
  const percent = Math.round(node.share * 100);
  return (
    <li>
      <div className={node.isCostliest ? 'plan-node costliest' : 'plan-node'}>
        <div className="plan-what">
          <strong>{node.name}</strong>
          {node.of !== undefined && <code>{node.of}</code>}
          {node.isCostliest && <Badge mood="warn">costliest</Badge>}
        </div>
        <div className="plan-bar" aria-hidden="true">
          <span style={{ width: `${percent}%` }} />
        </div>
        <div className="plan-numbers">
          <span>
            {isAnalysed ? `${fine.format(node.own)} ms` : `cost ${fine.format(node.own)}`}, {percent} %
          </span>
          <Rows node={node} />
          {node.loops !== undefined && node.loops > 1 && <span>{number.format(node.loops)} loops</span>}
        </div>
        {node.notes.length > 0 && (
          <ul className="plan-notes">
            {node.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </div>
      {node.children.length > 0 && (
        <ol>
          {node.children.map((child, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change.
            <Node key={at} node={child} isAnalysed={isAnalysed} />
          ))}
        </ol>
      )}
    </li>
  );
}

/** How far an estimate may be off before it is marked. */
const misjudgedBy = 10;

function Rows({ node }: { readonly node: PlanNode }) {
  const { planned, actual } = node;
  const factor = misjudged(node);
  if (actual === undefined || factor === undefined) return <span>{number.format(planned)} rows expected</span>;
  const isOff = factor >= misjudgedBy || factor <= 1 / misjudgedBy;
  const times = number.format(factor >= 1 ? factor : 1 / factor);
  return (
    <span>
      {number.format(actual)} rows, {number.format(planned)} expected
      {isOff && (
        <>
          {' '}
          <Badge mood="warn">{factor >= 1 ? `${times}× too many` : `${times}× too few`}</Badge>
        </>
      )}
    </span>
  );
}
