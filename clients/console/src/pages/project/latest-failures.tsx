import { CircleCheck, CircleSlash } from 'lucide-react';
import { counted } from '../../design/amounts.ts';
import { Badge } from '../../design/badge.tsx';
import { Panel } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { Link } from '../../router.tsx';
import type { Project } from './shown-project.ts';

/** The verdict over failures of functions in the last day, with the latest of them. */
export function LatestFailures({ project: { projectId, errors } }: { readonly project: Project }) {
  const base = `/projects/${projectId}/errors`;
  const rows = errors?.edges ?? [];
  return (
    <Panel
      title="Function errors"
      about="In the last day."
      actions={
        <Link className="quiet-link" to={base}>
          All errors
        </Link>
      }
    >
      {errors == null ? (
        <State icon={CircleSlash} title="Not available" />
      ) : rows.length === 0 ? (
        <State icon={CircleCheck} title="No errors">
          {errors.verdict.invocationsInWindow === 0
            ? 'No function ran in the last day.'
            : `${counted(errors.verdict.invocationsInWindow, 'run')} went well.`}
        </State>
      ) : (
        <>
          <p className="verdict">
            <Badge mood={errors.verdict.newFingerprints > 0 ? 'bad' : 'plain'}>
              {counted(errors.verdict.newFingerprints, 'new kind')}
            </Badge>
            <Badge>{counted(errors.verdict.recurringFingerprints, 'known kind')}</Badge>
          </p>
          <ul className="failures" aria-label="Latest errors">
            {rows.map(({ node }) => (
              <li key={`${node.fingerprintId} ${node.function}`}>
                <Link to={`${base}/${encodeURIComponent(node.fingerprintId)}`}>
                  {node.errorName}: {node.messageTemplate}
                </Link>
                <When at={node.lastSeen} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
