import { Fragment } from 'react';
import { Link } from '../../router.tsx';

interface FolderPathProps {
  /** Leads to the list of a folder. */
  readonly linkOf: (prefix: string) => string;
  /** The folder that is shown, with its slash. */
  readonly folder: string;
}

/** The folder that is shown and those above it. */
export function FolderPath({ linkOf, folder }: FolderPathProps) {
  const names = folder.split('/').slice(0, -1);
  const above = names.map((name, at) => ({ name, prefix: `${names.slice(0, at + 1).join('/')}/` }));
  return (
    <nav className="folder-path" aria-label="Folder">
      {above.length === 0 ? <b>All files</b> : <Link to={linkOf('')}>All files</Link>}
      {above.map(({ name, prefix }, at) => (
        <Fragment key={prefix}>
          <span aria-hidden="true">/</span>
          {at === above.length - 1 ? (
            <b aria-current="page">
              <bdi>{name}</bdi>
            </b>
          ) : (
            <Link to={linkOf(prefix)}>
              <bdi>{name}</bdi>
            </Link>
          )}
        </Fragment>
      ))}
    </nav>
  );
}
