import { ExternalLink, ImageOff } from 'lucide-react';
import { Fragment } from 'react';
import { count } from '../../design/amounts.ts';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { When } from '../../design/when.tsx';
import { Link } from '../../router.tsx';
import { settings } from '../../settings.ts';
import { useStore } from '../../store.ts';
import { Preview } from './preview.tsx';
import { addressOf, type Inventory, type Project } from './site-types.ts';

interface SiteHeadProps {
  readonly project: Project;
  readonly inventory: Inventory;
}

/** Where the site is found, with a picture of its first page. */
export function SiteHead({ project, inventory }: SiteHeadProps) {
  const { projectId, name, hostUrl, subdomains, customDomains, activeRelease } = project;
  const { origin } = useStore(settings);
  const address = addressOf(project);
  const hasPage = inventory.site.paths.some(({ path }) => path === 'index.html');
  const url = activeRelease?.url ?? null;
  // Sites let the console show them where the gateway itself is opened, and an own origin is the wall between the two.
  const isShown = url !== null && hasPage && origin === location.origin && new URL(url).origin !== location.origin;
  const others = [
    ...(subdomains ?? []).map((one) => one.url),
    ...customDomains.map((domain) => `https://${domain}`),
    hostUrl,
  ].filter((one) => one !== address);
  return (
    <div className="site-head">
      {isShown ? (
        <Preview url={url} label={`The first page of ${name}`} />
      ) : (
        <div className="site-preview none">
          <ImageOff className="icon" aria-hidden="true" />
          <p className="quiet small">
            {hasPage ? 'Open the console at the address of the gateway for a picture.' : 'The site has no first page.'}
          </p>
        </div>
      )}
      <Facts
        facts={[
          ['Address', <Address key="address" url={address} />],
          [
            'Also at',
            others.length === 0 ? undefined : (
              <span key="others" className="site-others">
                {others.map((one) => (
                  <Address key={one} url={one} />
                ))}
              </span>
            ),
          ],
          [
            'Release',
            inventory.operation_id === null ? (
              activeRelease?.releaseId
            ) : (
              <Link key="release" to={`/projects/${projectId}/deploys/${inventory.operation_id}`}>
                {activeRelease?.releaseId}
              </Link>
            ),
          ],
          ['Only this release', url === null ? undefined : <Address key="own" url={url} />],
          ['First live', <When key="first" at={activeRelease?.activatedAt ?? null} />],
          ['Files', count(activeRelease?.siteFiles ?? 0)],
        ]}
      />
    </div>
  );
}

const Address = ({ url }: { readonly url: string }) => (
  <span className="site-address">
    <a href={url} target="_blank" rel="noreferrer">
      <Host url={url} />
      <ExternalLink className="icon" aria-hidden="true" />
    </a>
    <CopyButton what={url} text={url} isIcon />
  </span>
);

/** A host, which breaks between its labels alone. */
const Host = ({ url }: { readonly url: string }) => (
  <span>
    {new URL(url).host.split(/(?=[.:])/).map((label, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: labels may be alike, and never move.
      <Fragment key={at}>
        {label}
        <wbr />
      </Fragment>
    ))}
  </span>
);
