/** A document beside the page; what went wrong on the way to it is a fact of the site. */
export interface SideDocument {
  /** Undefined: there was no answer. */
  readonly status: number | undefined;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Milliseconds that the page's last request took. */
export interface FetchTimings {
  readonly dns: number;
  readonly tls: number;
  readonly ttfb: number;
  readonly total: number;
}

/** All that an audit sees of a site: what it says follows from this alone. */
export interface SiteSnapshot {
  /** The normalised target. */
  readonly target: string;
  /** Where the page was found, after redirects. */
  readonly finalUrl: string;
  readonly page: SideDocument & {
    readonly status: number;
    /** Values of `X-Robots-Tag`. */
    readonly robotsTags: readonly string[];
    readonly truncated: boolean;
  };
  readonly robots: SideDocument;
  readonly llms: SideDocument;
  readonly llmsFullStatus: number | undefined;
  readonly sitemap: SideDocument;
}

/** How a site was read; apart from {@link SiteSnapshot}, since it differs from time to time. */
export interface FetchFacts {
  readonly redirects: number;
  readonly fetchedBytes: number;
  readonly requests: number;
  readonly timings: FetchTimings;
}
