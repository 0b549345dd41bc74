import { Circle, CircleCheck } from 'lucide-react';
import { Section } from '../../design/section.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { Link } from '../../router.tsx';
import { exposedTables } from './exposed-tables.ts';
import { FirstStepsDocument } from './project.graphql.ts';

interface Step {
  readonly name: string;
  readonly about: string;
  readonly to: string;
  readonly isDone: boolean;
}

/** How often an open page looks whether a step is done, in milliseconds: it may be done elsewhere. */
const everyMs = 10_000;

/** What to do with an empty project. The steps go once all are done. */
export function FirstSteps({ projectId }: { readonly projectId: string }) {
  const { data, again } = useAsk(FirstStepsDocument, { project: projectId });
  const project = data?.project;
  const base = `/projects/${projectId}`;
  const steps: Step[] =
    project == null
      ? []
      : [
          {
            name: 'Make a table',
            about: 'By SQL, or in the table editor.',
            to: `${base}/tables`,
            isDone: (project.tables ?? []).length > 0,
          },
          {
            name: 'Expose it',
            about: 'Say who may read and change its rows.',
            to: `${base}/access`,
            isDone: exposedTables(project.expose?.manifest).length > 0,
          },
          {
            name: 'Add a user',
            about: 'Or let the first one sign up.',
            to: `${base}/users`,
            // Who may not see the users is not asked to add one.
            isDone: project.users === null || project.users.edges.length > 0,
          },
        ];
  const isOpen = steps.some(({ isDone }) => !isDone);
  useWhileVisible(isOpen ? everyMs : undefined, again);
  if (!isOpen) return null;
  return (
    <Section title="First steps">
      <ol className="steps">
        {steps.map(({ name, about, to, isDone }) => (
          <li key={name} className={isDone ? 'done' : undefined}>
            {isDone ? (
              <CircleCheck className="icon" aria-hidden="true" />
            ) : (
              <Circle className="icon" aria-hidden="true" />
            )}
            <span>
              {isDone ? name : <Link to={to}>{name}</Link>}
              {isDone && <span className="seen-by-readers"> (done)</span>}
              <span className="quiet small"> {about}</span>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
