import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useTitle } from '../router.tsx';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Breadcrumbs: names and addresses, outermost first. */
  readonly crumbs?: readonly (readonly [name: string, to: string])[];
  readonly actions?: ReactNode;
  /** Takes the whole width of the window, for grids and editors. @default false */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A page with its heading, which gets the focus first. */
export function Page({ title, lead, crumbs = [], actions, wide = false, children }: PageProps) {
  // The tabs of a browser are told apart by what a page belongs to.
  const [within] = crumbs.length > 1 ? crumbs.at(-1)! : [];
  useTitle(within === undefined ? title : `${title} · ${within}`);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={wide ? 'page wide' : 'page'}>
      <div className="page-head">
        <div>
          {crumbs.length > 0 && (
            <nav aria-label="Where you are">
              <ol className="crumbs">
                {crumbs.map(([name, to]) => (
                  <li key={to}>
                    <Link to={to}>{name}</Link>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="quiet">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
