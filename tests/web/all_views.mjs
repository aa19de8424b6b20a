// Every view by a fragment, and what it shows once it is ready.
export const VIEWS = {
  board: "#v=1&view=board&cell=dS[0,1]",
  words: "#v=1&view=board&words=100",
  nudge: "#v=1&view=nudge&entry=K[2,1]",
  lens: "#v=1&view=lens",
  path: "#v=1&view=path&step=5",
  exercises: "#v=1&view=exercises&exercise=values",
  lab: "#v=1&view=lab&slip=hidden",
  training: "#v=1&view=lab&slip=upstream&trains=1",
  film: "#v=1&view=film&model=multi-head&epoch=1",
  desk: "#v=1&view=desk",
  sheet: "#v=1&view=sheet",
  notes: "#v=1&view=notes",
};
export const READY = {
  board: ".inspector h2",
  words: ".counted [data-exact]",
  nudge: ".along .compared",
  lens: ".bits td",
  path: ".shown figure",
  exercises: ".exercise",
  lab: ".shown figure",
  training: ".descent .ending",
  film: ".seen[data-epoch='1']",
  desk: ".findings li",
  sheet: ".link-to-sheet",
  notes: ".passages",
};
