import { Samples } from './samples.tsx';

const grounds = ['ground', 'surface', 'raised', 'sunken', 'accent-faint', 'good-faint', 'warn-faint', 'bad-faint'];
const inks = ['text', 'quiet', 'accent', 'good', 'warn', 'bad'];

export function TypeSamples() {
  return (
    <>
      <Samples title="Type">
        <div className="stack">
          <p style={{ fontSize: 'var(--t-title)', fontWeight: 'var(--weight-strong)' }}>Title of a page, 20 px</p>
          <p style={{ fontSize: 'var(--t-large)', fontWeight: 'var(--weight-strong)' }}>Heading of a section, 16 px</p>
          <p>
            Text, 14 px. <strong>Strong</strong>, <a href="/console/design">a link to this page</a>, <code>code</code>,
            and 0123456789.
          </p>
          <p className="small quiet">Small and quiet, 12 px.</p>
          <p data-system-font>Ελληνικά, Кириллица, Tiếng Việt, עברית, العربية, 日本語.</p>
        </div>
      </Samples>
      <Samples title="Colors of text on each ground">
        {grounds.map((ground) => (
          <div key={ground} className="swatch" style={{ background: `var(--${ground})` }}>
            {inks.map((ink) => (
              <span key={ink} data-ink={ink} data-ground={ground} style={{ color: `var(--${ink})` }}>
                {ink}
              </span>
            ))}
          </div>
        ))}
      </Samples>
    </>
  );
}
