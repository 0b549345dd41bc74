import { Note } from '../../design/note.tsx';

/** Something that whoever makes a release live should know of. */
export interface DeployWarning {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly affected?: readonly string[];
}

/** How many names are shown of what is affected. */
const shownMost = 8;

/** What the gateway warns of, with the names of what is affected. */
export const Warnings = ({ warnings }: { readonly warnings: readonly DeployWarning[] }) => (
  <>
    {warnings.map(({ code, severity, message, affected = [] }) => (
      <Note key={code} mood={severity === 'info' ? 'plain' : 'warn'} title={message}>
        {affected.length > 0 && (
          <p className="deploy-affected">
            {affected.slice(0, shownMost).map((name) => (
              <code key={name}>{name}</code>
            ))}
            {affected.length > shownMost && <span className="small">and {affected.length - shownMost} more</span>}
          </p>
        )}
        <code className="bare small quiet">{code}</code>
      </Note>
    ))}
  </>
);
