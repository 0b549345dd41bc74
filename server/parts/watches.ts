import { activeProjects } from '../../kernel/access/project-target.ts';
import { knownStorageOf } from '../../kernel/limits/storage.ts';
import { createUsageCounter } from '../../kernel/limits/usage-counter.ts';
import { createTraffic } from '../../kernel/traffic/traffic.ts';
import { LiveSites } from '../../resolvers/deploys/live-sites.ts';
import { PageCache } from '../../resolvers/hosts/cache/page-cache.ts';
import { standingCredentials } from '../../resolvers/identity/shared/project-credentials.ts';
import { createAuthorityWatch } from '../../subscriptions/authority.ts';
import { createEpochWatch } from '../../subscriptions/epoch-watch.ts';
import { createFeedHub } from '../../subscriptions/feed-hub.ts';
import { createGateWatch } from '../../subscriptions/gate-watch.ts';
import { createIncidentWatch } from '../../subscriptions/incident-watch.ts';
import { createLiveHub } from '../../subscriptions/live/live-hub.ts';
import { natsSignals } from '../../subscriptions/nats-signals.ts';
import { localSignals } from '../../subscriptions/signals.ts';
import type { Start } from './part.ts';
import type { Stores } from './stores.ts';

/**
 * What follows the databases for those who wait: feeds, rights that end, faults, changes of rows, and what nodes tell
 * each other of them.
 *
 * @param draining aborted when the server stops
 */
export async function openWatches(
  { options, lifecycle, metrics }: Start,
  { db, keys, feedEpoch, projectDatabases, projectPools, authPools, now }: Stores,
  draining: AbortSignal,
) {
  const { config, log } = options;
  const signals = config.natsUrl === undefined ? localSignals() : natsSignals(config.natsUrl, { log });
  lifecycle.onClose(signals.close);
  const feeds = createFeedHub({ db, signals, log, draining, epoch: () => keys.feedEpoch });
  lifecycle.onClose(feeds.close);
  metrics.watchFeedFollowers(feeds.followed);
  const epochs = createEpochWatch({ db, feedEpoch, log, signals });
  lifecycle.onClose(epochs.close);
  // A right that has ended is noticed within five seconds, also when the signal is lost: the look itself takes time.
  const authority = createAuthorityWatch({ db, log, signals, everyMs: 4_000 });
  lifecycle.onClose(authority.close);
  const incidents = createIncidentWatch({ db, log, signals });
  lifecycle.onClose(incidents.close);
  const gates = createGateWatch({ db, log, signals });
  lifecycle.onClose(gates.close);
  await Promise.all([incidents.refresh(), gates.refresh()]);
  const sites = new LiveSites(db);
  const pageCache = new PageCache(db);
  lifecycle.onClose(signals.onSignal((key) => sites.heard(key)));
  const live = createLiveHub({
    db,
    keys,
    log,
    signals,
    databases: projectDatabases,
    pools: authPools,
    standing: (projectIds) => activeProjects({ db }, projectIds),
    standingCredentials: (ids) => standingCredentials({ db }, ids),
    now,
  });
  lifecycle.onClose(live.close);
  // Closed once nothing is served any more, and before the database.
  const usage = createUsageCounter({ db, log });
  lifecycle.onClose(usage.close);
  const traffic = createTraffic({
    db,
    log,
    now,
    sizesBytes: (projects) =>
      knownStorageOf(
        { db, projectDatabases },
        projects.map((project) => ({ ...project, state: 'ready' })),
        true,
      ),
    connections: () => [...projectPools.open(), ...authPools.open(), ...live.followed()],
  });
  lifecycle.onClose(traffic.close);
  return { signals, services: { feeds, epochs, authority, gates, incidents, sites, pageCache, live, usage, traffic } };
}
