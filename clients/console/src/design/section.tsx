import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly about?: ReactNode;
  /** Buttons at the right of the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with its heading. It has no box: a line parts it from the section before. */
export const Section = (props: SectionProps) => <Headed {...props} className="section" />;

/** A section in a box, for things that stand beside each other. */
export const Panel = (props: SectionProps) => <Headed {...props} className="panel" />;

function Headed({ title, about, actions, children, className }: SectionProps & { readonly className: string }) {
  const id = useId();
  return (
    <section className={className} aria-labelledby={id}>
      <div className="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {about !== undefined && <p className="quiet small">{about}</p>}
        </div>
        {actions !== undefined && <div className="section-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
