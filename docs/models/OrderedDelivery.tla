--------------------------- MODULE OrderedDelivery ---------------------------
(* Ordered delivery of the events of one key to one webhook. ADR 27 describes the protocol, README.md lists what is left out.

   Event 1 was posted before event 2, and so on. Partition 1 contains the events up to `Boundary`, partition 2 the later ones: the
   number of partitions grew between them. A first attempt that fails is retried once. *)
EXTENDS Integers

CONSTANTS Events,    \* how many events the key has
          Boundary,  \* how many of them were posted before the number of partitions grew; Events: it never grew
          Processes,
          Failing,   \* the events whose attempts may fail
          MaxFaults, \* rebalances, crashes and pauses, all together
          MaxCommands, \* what users request: resends, replays, skips, a change from `block` to `skip`, all together
          Variant,
          Nobody     \* a model value

(* "fixed"        the protocol of ADR 27
   "ownOnly"      a new owner knows only the events that it takes up itself
   "staleList"    a new owner lists the open events from a read model that lags
   "unlogged"     an event counts as ended when its attempt ends, before the outcome is in the log
   "anyParked"    a parked event is released without regard to the taken-up offset
   "newFirst"     an event of the new partition does not wait for those of the old one
   "neverWoken"   the last end in the old partition does not wake the new one
   "earlyLook"    a wake is done before the read model contains its record
   "bareFailure"  the failed outcome of a first attempt has no header `ce_resume`
   "looseReplay"  a replay does not keep the order of the log
   "silentChange" the release of a blocked event after a change to `skip` wakes no lane
   "previousOnly" an event waits only for the event directly before it *)
ASSUME Variant \in {"fixed", "ownOnly", "staleList", "unlogged", "anyParked", "newFirst", "neverWoken",
                    "earlyLook", "bareFailure", "looseReplay", "silentChange", "previousOnly"}
ASSUME Boundary \in 1..Events

VARIABLES
    \* The log: the topic `deliveries`, the tiers, and the records that their groups have not committed
    status,     \* by event: the last record about the delivery in its cycle
    released,   \* the events that have ended once: they hold the key no longer
    cycle,      \* by event
    kind,       \* by event: what began its cycle
    replayed,   \* the events whose replay is still open
    tier,       \* the events with a retry record
    resume,     \* failed outcomes of the group `requests` that may still need a retry record
    requests,   \* requests of resends that are not done
    wake,       \* by partition: Nobody, or the partitions that the read model must still pass before the lane is examined
    onExhausted,
    \* The group `delivery`
    committed,  \* by partition: events up to this one are never read again
    takenUp,    \* by partition: the log has a record of every event up to this one
    owner,      \* by partition
    view,       \* the read model, by event; it lags
    viewReplayed, \* the same of `replayed`
    viewTaken,  \* by partition: the taken-up offset that was known when the read model was at its position
    \* Memory, by process and partition
    has,        \* whether the process believes that it owns the partition
    next,       \* the last event that was taken up
    holding,    \* events that hold the key, as far as the process knows
    queue,      \* events that wait in memory for an earlier one
    attempts,   \* requests in flight, and outcomes that are not in the log yet
    arrived,    \* events that the receiver got, not counting resends
    faults, commands

log == <<status, released, cycle, kind, replayed, tier, resume, requests, wake>>
group == <<committed, takenUp, owner>>
model == <<view, viewReplayed, viewTaken>>
memory == <<has, next, holding, queue>>
budget == <<faults, commands>>
vars == <<log, onExhausted, group, model, memory, attempts, arrived, budget>>

Event == 1..Events
Partition == IF Boundary = Events THEN {1} ELSE {1, 2}
PartitionOf(e) == IF e <= Boundary THEN 1 ELSE 2
First(p) == IF p = 1 THEN 0 ELSE Boundary
Last(p) == IF p = 1 THEN Boundary ELSE Events
Stored(p) == {e \in Event : PartitionOf(e) = p}

Status == {"none", "matched", "parked", "retrying", "blocked", "requested", "ended"}
Kind == {"event", "resend", "replay"}
Attempt == [event : Event, cycle : 0..MaxCommands, kind : Kind, retry : BOOLEAN,
            by : Processes \cup {"other", "paused", "lost"}, step : {"sent", "good", "bad", "logged"}]

TypeOK ==
    /\ status \in [Event -> Status] /\ released \subseteq Event
    /\ cycle \in [Event -> 0..MaxCommands] /\ kind \in [Event -> Kind]
    /\ replayed \subseteq Event /\ tier \subseteq Event /\ resume \subseteq Event /\ requests \subseteq Event
    /\ wake \in [Partition -> (SUBSET Partition) \cup {Nobody}] /\ onExhausted \in {"block", "skip"}
    /\ committed \in [Partition -> 0..Events] /\ takenUp \in [Partition -> 0..Events]
    /\ owner \in [Partition -> Processes \cup {Nobody}]
    /\ view \in [Event -> {"none", "open", "parked", "released", "replayed"}] /\ viewReplayed \subseteq Event
    /\ viewTaken \in [Partition -> 0..Events]
    /\ has \in [Processes -> [Partition -> BOOLEAN]]
    /\ next \in [Processes -> [Partition -> 0..Events]]
    /\ holding \in [Processes -> SUBSET Event] /\ queue \in [Processes -> SUBSET Event]
    /\ attempts \subseteq Attempt /\ arrived \subseteq Event
    /\ faults \in 0..MaxFaults /\ commands \in 0..MaxCommands

Maximum(S) == CHOOSE x \in S : \A y \in S : y <= x

Init ==
    /\ status = [e \in Event |-> "none"] /\ released = {} /\ cycle = [e \in Event |-> 0]
    /\ kind = [e \in Event |-> "event"] /\ replayed = {} /\ tier = {} /\ resume = {} /\ requests = {}
    /\ wake = [p \in Partition |-> Nobody] /\ onExhausted = "block"
    /\ committed = [p \in Partition |-> First(p)] /\ takenUp = committed
    /\ owner = [p \in Partition |-> Nobody]
    /\ view = [e \in Event |-> "none"] /\ viewReplayed = {}
    /\ viewTaken = committed
    /\ has = [q \in Processes |-> [p \in Partition |-> FALSE]]
    /\ next = [q \in Processes |-> [p \in Partition |-> 0]]
    /\ holding = [q \in Processes |-> {}] /\ queue = holding
    /\ attempts = {} /\ arrived = {} /\ faults = 0 /\ commands = 0

-----------------------------------------------------------------------------
(* Appends *)

(* A record with `ce_resume`. Its reader examines the lane once the read model has passed the present ends of all partitions. *)
Woken(p) == wake' = [wake EXCEPT ![p] = Partition]

(* The event ended in its present cycle. *)
End(e) ==
    /\ status' = [status EXCEPT ![e] = "ended"] /\ released' = released \cup {e}
    /\ replayed' = replayed \ {e} /\ tier' = tier \ {e} /\ resume' = resume \ {e} /\ requests' = requests \ {e}
    /\ UNCHANGED <<cycle, kind>>

-----------------------------------------------------------------------------
(* The read model: one step takes it to the end of a partition. *)
Fold(p) ==
    /\ view' = [e \in Event |-> IF e \notin Stored(p) THEN view[e]
                              ELSE IF status[e] = "parked" THEN IF e \in released THEN "replayed" ELSE "parked"
                              ELSE IF e \in released THEN "released"
                              ELSE IF status[e] = "none" THEN "none" ELSE "open"]
    /\ viewReplayed' = {e \in Event : e \in IF e \in Stored(p) THEN replayed ELSE viewReplayed}
    /\ viewTaken' = [viewTaken EXCEPT ![p] = takenUp[p]]
    /\ wake' = [o \in Partition |-> IF wake[o] = Nobody THEN Nobody ELSE wake[o] \ {p}]
    /\ <<view', viewReplayed', viewTaken', wake'>> # <<view, viewReplayed, viewTaken, wake>>
    /\ UNCHANGED <<status, released, cycle, kind, replayed, tier, resume, requests, onExhausted, group, memory,
                   attempts, arrived, budget>>

-----------------------------------------------------------------------------
(* The group `delivery`: a process that lost its partition acts on until it notices, but cannot commit. *)
Forget(q, p) ==
    /\ has' = [has EXCEPT ![q][p] = FALSE] /\ next' = [next EXCEPT ![q][p] = 0]
    /\ holding' = [holding EXCEPT ![q] = @ \ Stored(p)] /\ queue' = [queue EXCEPT ![q] = @ \ Stored(p)]

(* The new owner lists the open events below the committed offset, from a read model that has passed the end of `deliveries`. *)
Assign(q, p) ==
    /\ owner[p] = Nobody /\ ~has[q][p]
    /\ owner' = [owner EXCEPT ![p] = q] /\ has' = [has EXCEPT ![q][p] = TRUE]
    /\ next' = [next EXCEPT ![q][p] = committed[p]]
    /\ LET below == {e \in Stored(p) : e <= committed[p]}
           open == CASE Variant = "ownOnly" -> {}
                     [] Variant = "staleList" -> {e \in below : view[e] \notin {"none", "released"}}
                     [] OTHER -> below \ released
       IN holding' = [holding EXCEPT ![q] = @ \cup open]
    /\ UNCHANGED <<log, onExhausted, committed, takenUp, model, queue, attempts, arrived, budget>>

Rebalance(p) ==
    /\ faults < MaxFaults /\ faults' = faults + 1
    /\ owner[p] # Nobody /\ owner' = [owner EXCEPT ![p] = Nobody]
    /\ UNCHANGED <<log, onExhausted, committed, takenUp, model, memory, attempts, arrived, commands>>

Notice(q, p) ==
    /\ has[q][p] /\ owner[p] # q /\ Forget(q, p)
    /\ UNCHANGED <<log, onExhausted, group, model, attempts, arrived, budget>>

(* A request that was sent may arrive after its process has died. It matters only if it would be the first one. *)
Remains(a) ==
    IF a.step = "sent" /\ a.event \notin arrived /\ a.kind # "resend"
    THEN {[a EXCEPT !.by = "lost", !.cycle = 0, !.kind = "event", !.retry = FALSE]} ELSE {}
Crash(q) ==
    /\ faults < MaxFaults /\ faults' = faults + 1
    /\ (\E p \in Partition : has[q][p]) \/ (\E a \in attempts : a.by = q)
    /\ owner' = [p \in Partition |-> IF owner[p] = q THEN Nobody ELSE owner[p]]
    /\ has' = [has EXCEPT ![q] = [p \in Partition |-> FALSE]]
    /\ next' = [next EXCEPT ![q] = [p \in Partition |-> 0]]
    /\ holding' = [holding EXCEPT ![q] = {}] /\ queue' = [queue EXCEPT ![q] = {}]
    /\ attempts' = UNION {IF a.by = q THEN Remains(a) ELSE {a} : a \in attempts}
    /\ UNCHANGED <<log, onExhausted, committed, takenUp, model, arrived, commands>>

(* The same for an attempt of the groups `requests` and `retry`. *)
Die ==
    \E a \in attempts :
        /\ faults < MaxFaults /\ faults' = faults + 1 /\ a.by = "other"
        /\ attempts' = (attempts \ {a}) \cup Remains(a)
        /\ UNCHANGED <<log, onExhausted, group, model, memory, arrived, commands>>

Pause ==
    \E a \in attempts :
        /\ faults < MaxFaults /\ faults' = faults + 1 /\ a.by = "other"
        /\ attempts' = (attempts \ {a}) \cup {[a EXCEPT !.by = "paused"]}
        /\ UNCHANGED <<log, onExhausted, group, model, memory, arrived, commands>>

(* The state of a redelivered event comes from the read model. *)
TakeUp(q, p) ==
    /\ has[q][p] /\ next[q][p] < Last(p)
    /\ LET e == next[q][p] + 1
           fresh == e \notin released /\ cycle[e] = 0 /\ status[e] \in {"none", "matched"}
       IN /\ next' = [next EXCEPT ![q][p] = e]
          /\ holding' = [holding EXCEPT ![q] = IF e \in released THEN @ ELSE @ \cup {e}]
          /\ queue' = [queue EXCEPT ![q] = IF fresh THEN @ \cup {e} ELSE @]
          /\ tier' = IF status[e] = "retrying" THEN tier \cup {e} ELSE tier
    /\ UNCHANGED <<status, released, cycle, kind, replayed, resume, requests, wake, onExhausted, group, model, has,
                   attempts, arrived, budget>>

Ended(e) == view[e] \in {"released", "replayed"}
OldReleased == \A d \in Stored(1) : Ended(d)
(* Nothing of the key is open in the old partition, as the read model shows it. *)
OldEnded(e) ==
    \/ PartitionOf(e) = 1
    \/ Variant = "newFirst"
    \/ viewTaken[1] = Boundary /\ OldReleased

Send(q) ==
    \E e \in queue[q] :
        /\ \A d \in holding[q] : d < e /\ PartitionOf(d) = PartitionOf(e) => Ended(d)
        /\ OldEnded(e)
        /\ queue' = [queue EXCEPT ![q] = @ \ {e}]
        /\ attempts' = attempts \cup {[event |-> e, cycle |-> 0, kind |-> "event", retry |-> FALSE, by |-> q,
                                       step |-> "sent"]}
        /\ UNCHANGED <<log, onExhausted, group, model, has, next, holding, arrived, budget>>

InMemory(q) == queue[q] \cup {a.event : a \in {b \in attempts : b.by = q}}

(* After 500 ms. *)
Match(q) ==
    \E e \in InMemory(q) :
        /\ status[e] = "none" /\ status' = [status EXCEPT ![e] = "matched"]
        /\ UNCHANGED <<released, cycle, kind, replayed, tier, resume, requests, wake, onExhausted, group, model, memory,
                       attempts, arrived, budget>>

Park(q) ==
    \E e \in queue[q] :
        /\ queue' = [queue EXCEPT ![q] = @ \ {e}]
        /\ status' = [status EXCEPT ![e] = IF @ \in {"none", "matched"} THEN "parked" ELSE @]
        /\ Woken(PartitionOf(e))
        /\ UNCHANGED <<released, cycle, kind, replayed, tier, resume, requests, onExhausted, group, model, has, next,
                       holding, attempts, arrived, budget>>

IsDone(q, e) == e \notin InMemory(q) /\ status[e] \notin {"none", "matched"}
                /\ (status[e] = "retrying" => e \in tier \cup resume)

Commit(q, p) ==
    /\ owner[p] = q /\ has[q][p]
    /\ LET upTo(ok(_)) == Maximum({k \in First(p)..next[q][p] : \A e \in Stored(p) : e <= k => ok(e)})
           Done(e) == e <= committed[p] \/ IsDone(q, e)
           Recorded(e) == e <= takenUp[p] \/ status[e] # "none"
       IN /\ committed' = [committed EXCEPT ![p] = upTo(Done)]
          /\ takenUp' = [takenUp EXCEPT ![p] = Maximum({@, upTo(Recorded)})]
    /\ <<committed', takenUp'>> # <<committed, takenUp>>
    /\ UNCHANGED <<log, onExhausted, owner, model, memory, attempts, arrived, budget>>

-----------------------------------------------------------------------------
(* Attempts *)
Arrive ==
    \E a \in attempts :
        /\ a.step = "sent"
        /\ arrived' = IF a.kind = "resend" THEN arrived ELSE arrived \cup {a.event}
        /\ IF a.by = "lost"
           THEN attempts' = attempts \ {a} /\ UNCHANGED holding
           ELSE \E result \in IF a.event \in Failing THEN {"good", "bad"} ELSE {"good"} :
                  /\ attempts' = (attempts \ {a}) \cup {[a EXCEPT !.step = result]}
                  /\ holding' = IF Variant = "unlogged" /\ result = "good" /\ a.by \in Processes
                                THEN [holding EXCEPT ![a.by] = @ \ {a.event}] ELSE holding
        /\ UNCHANGED <<log, onExhausted, group, model, has, next, queue, budget>>

(* Success. In an older cycle it changes no status, but it releases the key. *)
LogGood ==
    \E a \in attempts :
        /\ a.step = "good" /\ attempts' = attempts \ {a}
        /\ IF a.cycle = cycle[a.event] THEN End(a.event)
           ELSE /\ released' = released \cup {a.event}
                /\ UNCHANGED <<status, cycle, kind, replayed, tier, resume, requests>>
        /\ Woken(PartitionOf(a.event))
        /\ holding' = IF a.by \in Processes THEN [holding EXCEPT ![a.by] = @ \ {a.event}] ELSE holding
        /\ UNCHANGED <<onExhausted, group, model, has, next, queue, arrived, budget>>

(* The outcome comes first, the retry record second. *)
LogFailed ==
    \E a \in attempts :
        /\ a.step = "bad" /\ ~a.retry
        /\ IF a.cycle = cycle[a.event] /\ status[a.event] \notin {"retrying", "blocked", "ended"}
           THEN /\ status' = [status EXCEPT ![a.event] = "retrying"]
                /\ resume' = IF Variant = "bareFailure" /\ a.by \in Processes THEN resume ELSE resume \cup {a.event}
                /\ requests' = requests \ {a.event}
                /\ attempts' = (attempts \ {a}) \cup
                       (IF Variant = "bareFailure" /\ a.by \in Processes THEN {[a EXCEPT !.step = "logged"]} ELSE {})
           ELSE attempts' = attempts \ {a} /\ UNCHANGED <<status, resume, requests>>
        /\ UNCHANGED <<released, cycle, kind, replayed, tier, wake, onExhausted, group, model, memory, arrived, budget>>

LogRetry ==
    \E a \in attempts :
        /\ a.step = "logged" /\ attempts' = attempts \ {a}
        /\ tier' = IF a.cycle = cycle[a.event] /\ status[a.event] = "retrying" THEN tier \cup {a.event} ELSE tier
        /\ UNCHANGED <<status, released, cycle, kind, replayed, resume, requests, wake, onExhausted, group, model, memory,
                       arrived, budget>>

(* The group `requests` reads a failed outcome with `ce_resume`. *)
Resume ==
    \E e \in resume :
        /\ resume' = resume \ {e} /\ tier' = IF status[e] = "retrying" THEN tier \cup {e} ELSE tier
        /\ UNCHANGED <<status, released, cycle, kind, replayed, requests, wake, onExhausted, group, model, memory, attempts,
                       arrived, budget>>

LogExhausted ==
    \E a \in attempts :
        /\ a.step = "bad" /\ a.retry /\ attempts' = attempts \ {a}
        /\ IF a.cycle = cycle[a.event] /\ status[a.event] # "ended"
           THEN IF onExhausted = "skip" \/ a.event \in released
                THEN End(a.event) /\ Woken(PartitionOf(a.event))
                ELSE /\ status' = [status EXCEPT ![a.event] = "blocked"]
                     /\ replayed' = replayed \ {a.event} /\ tier' = tier \ {a.event} /\ resume' = resume \ {a.event}
                     /\ Woken(PartitionOf(a.event)) /\ UNCHANGED <<released, cycle, kind, requests>>
           ELSE UNCHANGED log
        /\ UNCHANGED <<onExhausted, group, model, memory, arrived, budget>>

(* One process of the groups `requests` and `retry` makes an attempt of a cycle once, unless it dies or is paused. *)
Attempted(e, retry) == \E a \in attempts : a.event = e /\ a.cycle = cycle[e] /\ a.retry = retry /\ a.by = "other"
AttemptOf(e, retry) ==
    attempts' = attempts \cup {[event |-> e, cycle |-> cycle[e], kind |-> kind[e], retry |-> retry, by |-> "other",
                                step |-> "sent"]}

Retry ==
    \E e \in tier :
        /\ status[e] = "retrying" /\ ~Attempted(e, TRUE) /\ AttemptOf(e, TRUE)
        /\ UNCHANGED <<log, onExhausted, group, model, memory, arrived, budget>>

Answer ==
    \E e \in requests :
        /\ status[e] = "requested" /\ ~Attempted(e, FALSE) /\ AttemptOf(e, FALSE)
        /\ UNCHANGED <<log, onExhausted, group, model, memory, arrived, budget>>

-----------------------------------------------------------------------------
(* The lane, as the read model shows it *)
Before(d, e) == IF Variant = "previousOnly" THEN d = e - 1 ELSE d < e
InTurn(e) ==
    /\ \/ Ended(e)
       \/ OldEnded(e) /\ \A d \in Stored(PartitionOf(e)) : Before(d, e) => Ended(d) \/ (view[d] = "none" /\ Variant = "anyParked")
    /\ e \in viewReplayed => Variant = "looseReplay" \/ \A d \in viewReplayed : d >= e
IsTakenUp(e) ==
    \/ e <= viewTaken[PartitionOf(e)] /\ (PartitionOf(e) = 1 \/ viewTaken[1] = Boundary)
    \/ Variant \in {"anyParked", "newFirst"}
Waiting(p) == {e \in Stored(p) : view[e] \in {"parked", "replayed"}}
Looks(p) == wake[p] # Nobody /\ (wake[p] = {} \/ Variant = "earlyLook")

Release(p) ==
    \E e \in Waiting(p) :
        /\ Looks(p) /\ InTurn(e) /\ IsTakenUp(e)
        /\ status[e] = "parked" /\ ~Attempted(e, FALSE) /\ AttemptOf(e, FALSE)
        /\ UNCHANGED <<log, onExhausted, group, model, memory, arrived, budget>>

(* No parked event is in turn: the end of the event that holds the key wakes the lane again. The old partition wakes the new one. *)
Rest(p) ==
    /\ Looks(p) /\ \A e \in Waiting(p) : IsTakenUp(e) /\ ~InTurn(e)
    /\ wake' = [o \in Partition |->
           IF o = p THEN Nobody
           ELSE IF p = 1 /\ Variant # "neverWoken" /\ Waiting(o) # {} /\ OldReleased
           THEN Partition
           ELSE wake[o]]
    /\ UNCHANGED <<status, released, cycle, kind, replayed, tier, resume, requests, onExhausted, group, model, memory,
                   attempts, arrived, budget>>

-----------------------------------------------------------------------------
(* What users request *)
Command == commands < MaxCommands /\ commands' = commands + 1
Visible == {e \in Event : status[e] # "none"}

Resend ==
    \E e \in Visible :
        /\ Command
        /\ cycle' = [cycle EXCEPT ![e] = @ + 1] /\ kind' = [kind EXCEPT ![e] = "resend"]
        /\ status' = [status EXCEPT ![e] = "requested"] /\ requests' = requests \cup {e}
        /\ replayed' = replayed \ {e} /\ tier' = tier \ {e} /\ resume' = resume \ {e}
        /\ UNCHANGED <<released, wake, onExhausted, group, model, memory, attempts, arrived, faults>>

Replay ==
    /\ Command /\ Visible # {} /\ replayed = {}
    /\ cycle' = [e \in Event |-> IF e \in Visible THEN cycle[e] + 1 ELSE cycle[e]]
    /\ kind' = [e \in Event |-> IF e \in Visible THEN "replay" ELSE kind[e]]
    /\ status' = [e \in Event |-> IF e \in Visible THEN "parked" ELSE status[e]]
    /\ replayed' = Visible /\ tier' = tier \ Visible /\ resume' = resume \ Visible /\ requests' = requests \ Visible
    /\ wake' = [p \in Partition |-> Partition]
    /\ UNCHANGED <<released, onExhausted, group, model, memory, attempts, arrived, faults>>

Skip ==
    \E e \in Visible :
        /\ status[e] # "ended" /\ Command /\ End(e) /\ Woken(PartitionOf(e))
        /\ UNCHANGED <<onExhausted, group, model, memory, attempts, arrived, faults>>

BlockToSkip ==
    /\ onExhausted = "block" /\ Command /\ onExhausted' = "skip"
    /\ UNCHANGED <<log, group, model, memory, attempts, arrived, faults>>

Unblock ==
    \E e \in Event :
        /\ onExhausted = "skip" /\ status[e] = "blocked" /\ End(e)
        /\ IF Variant = "silentChange" THEN UNCHANGED wake ELSE Woken(PartitionOf(e))
        /\ UNCHANGED <<onExhausted, group, model, memory, attempts, arrived, budget>>

-----------------------------------------------------------------------------
Step == \/ Arrive \/ LogGood \/ LogFailed \/ LogRetry \/ Resume \/ LogExhausted \/ Retry \/ Answer \/ Unblock
        \/ \E p \in Partition : Fold(p) \/ Release(p) \/ Rest(p)
        \/ \E q \in Processes :
               \/ Send(q) \/ Match(q) \/ Park(q)
               \/ \E p \in Partition : Assign(q, p) \/ Notice(q, p) \/ TakeUp(q, p) \/ Commit(q, p)
Fault == Die \/ Pause \/ (\E p \in Partition : Rebalance(p)) \/ (\E q \in Processes : Crash(q))
Next == Step \/ Fault \/ Resend \/ Replay \/ Skip \/ BlockToSkip

Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Step)

-----------------------------------------------------------------------------
(* No event first arrives before the one before it has ended. Repeats may arrive at any time, and resends are not counted. *)
InOrder == \A e \in arrived : \A d \in Event : d < e => d \in released
(* No attempt of a replay is in flight while an earlier event of the replay is open. *)
ReplayInOrder ==
    \A a \in attempts : a.kind = "replay" /\ a.cycle = cycle[a.event] => \A d \in Event : d < a.event => d \notin replayed

(* Something in the log, or a commit that was not made yet, leads every event further. *)
Waits(e) ==
    \/ e \notin released /\ \E d \in Event : d < e /\ d \notin released
    \/ e \in replayed /\ \E d \in replayed : d < e
NothingLost ==
    \A e \in Event :
        \/ status[e] \in {"ended", "blocked"}
        \/ e > committed[PartitionOf(e)] /\ status[e] \in {"none", "matched", "retrying"}
        \/ status[e] = "retrying" /\ (e \in tier \cup resume \/ \E a \in attempts : a.event = e /\ a.step = "logged")
        \/ status[e] = "requested" /\ e \in requests
        \/ status[e] = "parked" /\ (Waits(e) \/ \E p \in Partition : p <= PartitionOf(e) /\ wake[p] # Nobody)
EachEnds == <>[](\A e \in Event : status[e] \in {"ended", "blocked"} \/ \E d \in Event : d < e /\ status[d] = "blocked")

Symmetry == {f \in [Processes -> Processes] : \A p, q \in Processes : f[p] = f[q] => p = q}
=============================================================================
