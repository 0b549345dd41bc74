import { CircleCheck, TriangleAlert } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { When } from '../../design/when.tsx';
import type { BackupsQuery } from './backups.graphql.ts';
import { words } from './words.ts';

type Job = NonNullable<NonNullable<NonNullable<BackupsQuery['installation']>['backups']>['job']>;

/** The latest backup that was started here: how far it is, or how it ended. */
export function BackupJob({ job }: { readonly job: Job }) {
  const { state, startedAt, endedAt, step, progress, error, missing } = job;
  if (state === 'RUNNING') {
    const percent = progress === null ? undefined : Math.round(progress * 100);
    return (
      <div className="backup-job" role="status">
        <div className="usage-head">
          <span>
            <b>A backup runs</b> <span className="quiet">since</span> <When at={startedAt} exact />
          </span>
          <span className="quiet">
            {step === null ? 'It begins' : stepText(step)}
            {percent !== undefined && ` · ${percent} %`}
          </span>
        </div>
        <progress aria-label="Progress of the backup" max={100} {...(percent !== undefined && { value: percent })} />
      </div>
    );
  }
  if (state === 'FAILED')
    return (
      <div className="backup-job" role="status">
        <span className="badges">
          <Badge mood="bad" icon={TriangleAlert}>
            The last backup from here failed
          </Badge>
          <When at={endedAt} />
        </span>
        <p>{error}</p>
      </div>
    );
  return (
    <div className="backup-job" role="status">
      <span className="badges">
        <Badge mood={missing.length === 0 ? 'good' : 'warn'} icon={missing.length === 0 ? CircleCheck : TriangleAlert}>
          {missing.length === 0 ? 'The last backup from here is whole' : 'The last backup from here lacks databases'}
        </Badge>
        <When at={endedAt} />
      </span>
      {missing.length > 0 && (
        <ul className="missing">
          {missing.map(({ database, reason }) => (
            <li key={database}>
              <code>{database}</code> <span className="quiet">{reason}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The steps of the program in words. */
const stepText = (step: string): string => words(step.replaceAll('-', ' '));
