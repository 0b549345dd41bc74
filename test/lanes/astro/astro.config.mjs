// Style sheets and scripts are files of their own, however short.
export default { build: { inlineStylesheets: 'never' }, vite: { build: { assetsInlineLimit: 0 } } };
