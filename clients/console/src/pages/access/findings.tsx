import { CircleAlert, TriangleAlert } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { faultAt } from './fault-at.ts';

export interface ShownFinding {
  readonly type: string;
  readonly severity: 'ERROR' | 'WARNING';
  readonly path: string;
  readonly detail: string;
  readonly fix: string | null;
}

interface FindingsProps {
  readonly findings: readonly ShownFinding[];
  readonly text: string;
}

/** What is wrong with a manifest, and where in its text. */
export function Findings({ findings, text }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <ul className="access-findings" aria-label="Findings">
      {findings.map(({ type, severity, path, detail, fix }) => (
        <li key={`${type} ${path} ${detail}`}>
          {severity === 'ERROR' ? (
            <Badge mood="bad" icon={CircleAlert}>
              Error
            </Badge>
          ) : (
            <Badge mood="warn" icon={TriangleAlert}>
              Warning
            </Badge>
          )}
          <span>
            {detail} {fix}{' '}
            <span className="quiet small">
              Line {text.slice(0, faultAt(text, path, detail).from).split('\n').length}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
